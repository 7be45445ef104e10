# Running the bot: `deckhand run`, `backup`, `restore`, and what doctor says of chats, HTTP and keeping.

bot-runs-already = A bot already serves { $folder }. Stop it first, or set DECKHAND_DATA to another folder.
run-serving = Serving { $platform }: { $name }
run-unreachable = { $platform } cannot be reached now. I keep trying: the log tells more, and so does `deckhand doctor`.
run-pairing = Nobody is an admin yet. Send this to { $name } in a private chat, within a day: /start { $code }
run-http = Health and metrics: { $address }
run-stopping = Stopping: no new messages; what runs goes on at the next start.
http-taken = DECKHAND_HTTP: { $address } cannot be listened on ({ $reason }). Choose another address, or stop what listens there.

backup-made = { $file }: { $count ->
    [one] one file
   *[other] { $count } files
}, { $size }. It holds what people wrote and sent: keep it as safe as the data folder.
backup-missing = { $count ->
    [one] One file is not in it, since it was deleted meanwhile or had been lost before.
   *[other] { $count } files are not in it, since they were deleted meanwhile or had been lost before.
}
backup-bucket = Files that were sent and made lie in { $url } and are not part of this backup. Use the bucket's own versions or copies.
backup-no-folder = { $file } cannot be written: its folder is not there, or it is a folder.
backup-inside = { $file } lies within what is to be backed up. Choose another place.
restore-no-file = There is no file { $file }.
restore-not-empty = { $path } is there already, and nothing was changed. Restore into an empty folder (DECKHAND_DATA), or say --force to move aside what is there.
restore-bad = { $file } cannot be restored, and nothing was changed: { $reason }.
restore-aside = Moved aside: { $path }
restore-done = Restored { $count ->
    [one] one file
   *[other] { $count } files
} of { $at } UTC. The database opens; { $runs ->
    [0] no run waits
    [one] one run waits
   *[other] { $runs } runs wait
} for `deckhand run`. What was answered after the backup may be answered again.
restore-bucket = Files that were sent and made are not part of the backup: ARTIFACTS_URL has to name the bucket that has them ({ $url }).

telegram-token-refused = Telegram does not know this bot: TELEGRAM_BOT_TOKEN is wrong or was revoked. Get the token from @BotFather (/mybots, API Token) and put it into .env.

doctor-check-telegram = Telegram
doctor-check-clock = clock
doctor-check-http = HTTP
doctor-check-retention = retention
doctor-telegram-none = Not configured. For a bot, put the token of @BotFather into .env as TELEGRAM_BOT_TOKEN.
doctor-telegram-ok = @{ $name } answers at { $host }.
doctor-telegram-private = @{ $name } answers at { $host }. Privacy mode is on: in groups it sees commands, mentions and replies, which is all it needs.
doctor-telegram-open = @{ $name } answers at { $host }. Privacy mode is off: Telegram sends it all that groups say, though it only answers when addressed. @BotFather, /setprivacy, turns it on.
doctor-telegram-refused = { $host } does not know this bot: TELEGRAM_BOT_TOKEN is wrong or was revoked. Get the token from @BotFather (/mybots, API Token).
doctor-telegram-unreachable = { $host } does not answer ({ $reason }). Check the network, DECKHAND_PROXY, DECKHAND_CA_FILE and TELEGRAM_API_URL.
doctor-telegram-strange = { $host } answers with status { $status }, not like a Bot API server. Check TELEGRAM_API_URL.
doctor-telegram-webhook-elsewhere = Telegram sends this bot's messages to { $url }. `deckhand run` will take that over; if another program shall keep it, make a bot of its own with @BotFather.
doctor-telegram-webhook-failing = Telegram could not deliver to { $url }: { $reason }. Check that the address leads to DECKHAND_HTTP over https, with a certificate that others accept.
doctor-telegram-conflict = Another program receives this bot's messages at the same time. Stop it, or make another bot with @BotFather: each message would reach only one of the two.
doctor-clock-ok = Within { $seconds } s of Telegram's.
doctor-clock-off = { $seconds } s away from Telegram's. Set the clock (timedatectl set-ntp true): times in chats and logs are wrong, and certificates may be refused.
doctor-http-none = Not configured. DECKHAND_HTTP=127.0.0.1:8099 gives /health and /metrics.
doctor-http-ok = { $address } is free.
doctor-http-ours = The bot that runs listens at { $address }.
doctor-http-needed = TELEGRAM_WEBHOOK_URL needs DECKHAND_HTTP, where Telegram's calls arrive.
doctor-retention-none = Everything is kept for ever. DECKHAND_KEEP_DAYS sets an end.
doctor-retention-ok = What is older than { $days ->
    [one] a day
   *[other] { $days } days
} is deleted.
