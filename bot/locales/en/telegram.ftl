# What Telegram does not take or hand over, and what a start with it lacks.

settings-telegram-token = Telegram does not know this TELEGRAM_BOT_TOKEN. Copy it once more from @BotFather. If TELEGRAM_API_URL is set, check that address as well.
settings-telegram-webhook = Telegram does not take TELEGRAM_WEBHOOK_URL: { $reason }. It must be a public https:// address. Without it, Telegram is asked instead, which needs no address.

telegram-file-too-big = Telegram takes files of up to 50 MB from me
telegram-file-too-big-local = Telegram takes files of up to 2 GB from me
telegram-file-empty = the file is empty, and Telegram takes no empty files
telegram-file-unreadable = it cannot be read from the store any more
telegram-download-too-big = “{ $name }” is larger than 20 MB, the most that Telegram hands over to me. A part of it, or a .zip or .parquet of it, would do.
telegram-file-missing = Telegram does not have it any more. Please send it again
telegram-file-not-shared = the Telegram server has it in a folder that I may not read. Whoever looks after me has to mend that
telegram-topic-closed = this topic is closed
telegram-no-rights = I may not send this here. An admin of the group can allow it
telegram-refused = Telegram does not take it
