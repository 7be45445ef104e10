# Чего Telegram не берёт и не отдаёт и чего не хватает для запуска с ним.

settings-telegram-token = Telegram не знает такого TELEGRAM_BOT_TOKEN. Скопируйте его у @BotFather ещё раз. Если задан TELEGRAM_API_URL, проверьте и этот адрес.
settings-telegram-webhook = Telegram не принимает TELEGRAM_WEBHOOK_URL: { $reason }. Нужен общедоступный адрес https://. Без него я спрашиваю Telegram сам, и адрес не нужен.

telegram-file-too-big = Telegram принимает от меня файлы до 50 МБ
telegram-file-too-big-local = Telegram принимает от меня файлы до 2 ГБ
telegram-file-empty = файл пуст, а пустых файлов Telegram не принимает
telegram-file-unreadable = его больше нельзя прочитать из хранилища
telegram-download-too-big = Файл «{ $name }» больше 20 МБ — больше Telegram мне не отдаёт. Подойдёт его часть, .zip или .parquet.
telegram-file-missing = у Telegram его больше нет. Пришлите его, пожалуйста, ещё раз
telegram-file-not-shared = сервер Telegram хранит его в папке, которую мне нельзя читать. Это может исправить тот, кто за мной присматривает
telegram-topic-closed = эта тема закрыта
telegram-no-rights = мне нельзя отправлять это сюда. Разрешить может администратор группы
telegram-refused = Telegram этого не принимает
