# Работа бота: `deckhand run`, `backup`, `restore` и что doctor говорит о чатах, HTTP и хранении.

bot-runs-already = С папкой { $folder } уже работает бот. Сначала остановите его или задайте в DECKHAND_DATA другую папку.
run-serving = Работаю в { $platform }: { $name }
run-unreachable = { $platform } сейчас не отвечает. Я продолжаю попытки: подробности в журнале и в `deckhand doctor`.
run-pairing = Администратора ещё нет. В течение суток отправьте { $name } в личном чате: /start { $code }
run-http = Состояние и метрики: { $address }
run-stopping = Останавливаюсь: новых сообщений не беру, начатое продолжится при следующем запуске.
http-taken = DECKHAND_HTTP: адрес { $address } занять не удалось ({ $reason }). Выберите другой или остановите то, что там работает.

backup-made = { $file }: { $count ->
    [one] { $count } файл
    [few] { $count } файла
   *[other] { $count } файлов
}, { $size }. Внутри то, что люди писали и присылали: храните его так же бережно, как папку данных.
backup-missing = { $count ->
    [one] { $count } файл не вошёл: его
    [few] { $count } файла не вошли: их
   *[other] { $count } файлов не вошли: их
} удалили за это время или не было уже раньше.
backup-bucket = Присланные и созданные файлы лежат в { $url } и в эту копию не входят. Пользуйтесь версиями или копиями самого хранилища.
backup-no-folder = Записать { $file } нельзя: такой папки нет, или это сама папка.
backup-inside = { $file } лежит внутри того, что копируется. Выберите другое место.
restore-no-file = Файла { $file } нет.
restore-not-empty = { $path } уже есть, и ничего не изменено. Восстанавливайте в пустую папку (DECKHAND_DATA) или скажите --force: тогда прежнее будет отложено в сторону.
restore-bad = Восстановить { $file } нельзя, и ничего не изменено: { $reason }.
restore-aside = Отложено в сторону: { $path }
restore-done = Восстановлено: { $count ->
    [one] { $count } файл
    [few] { $count } файла
   *[other] { $count } файлов
}, копия от { $at } UTC. База открывается; ждёт `deckhand run`: { $runs ->
    [one] { $runs } задача
    [few] { $runs } задачи
   *[other] { $runs } задач
}. На то, что было отвечено после копии, ответ может прийти ещё раз.
restore-bucket = Присланные и созданные файлы в копию не входят: ARTIFACTS_URL должен указывать на хранилище, где они лежат ({ $url }).

telegram-token-refused = Telegram не знает такого бота: TELEGRAM_BOT_TOKEN неверен или отозван. Возьмите токен у @BotFather (/mybots, API Token) и впишите в .env.

doctor-check-telegram = Telegram
doctor-check-clock = часы
doctor-check-http = HTTP
doctor-check-retention = хранение
doctor-telegram-none = Не настроен. Чтобы был бот, впишите токен от @BotFather в .env как TELEGRAM_BOT_TOKEN.
doctor-telegram-ok = @{ $name } отвечает через { $host }.
doctor-telegram-private = @{ $name } отвечает через { $host }. Режим приватности включён: в группах бот видит команды, упоминания и ответы, и этого ему хватает.
doctor-telegram-open = @{ $name } отвечает через { $host }. Режим приватности выключен: Telegram присылает боту всё, что говорят в группах, хотя отвечает он только на обращения. Включить: @BotFather, /setprivacy.
doctor-telegram-refused = { $host } не знает такого бота: TELEGRAM_BOT_TOKEN неверен или отозван. Возьмите токен у @BotFather (/mybots, API Token).
doctor-telegram-unreachable = { $host } не отвечает ({ $reason }). Проверьте сеть, DECKHAND_PROXY, DECKHAND_CA_FILE и TELEGRAM_API_URL.
doctor-telegram-strange = { $host } отвечает кодом { $status }, не как сервер Bot API. Проверьте TELEGRAM_API_URL.
doctor-telegram-webhook-elsewhere = Telegram отправляет сообщения этого бота на { $url }. `deckhand run` заберёт их себе; если они нужны другой программе, заведите у @BotFather отдельного бота.
doctor-telegram-webhook-failing = Telegram не смог доставить на { $url }: { $reason }. Проверьте, что адрес по https ведёт к DECKHAND_HTTP и что сертификат принимают другие.
doctor-telegram-conflict = Сообщения этого бота одновременно получает другая программа. Остановите её или заведите у @BotFather другого бота: каждое сообщение доходит только до одной из двух.
doctor-clock-ok = Расходятся с Telegram не больше чем на { $seconds } с.
doctor-clock-off = Расходятся с Telegram на { $seconds } с. Поставьте часы (timedatectl set-ntp true): время в чатах и журналах неверно, и сертификаты могут не приниматься.
doctor-http-none = Не настроен. DECKHAND_HTTP=127.0.0.1:8099 даст /health и /metrics.
doctor-http-ok = Адрес { $address } свободен.
doctor-http-ours = Адрес { $address } занимает работающий бот.
doctor-http-needed = Для TELEGRAM_WEBHOOK_URL нужен DECKHAND_HTTP: туда приходят вызовы Telegram.
doctor-retention-none = Всё хранится всегда. Срок задаёт DECKHAND_KEEP_DAYS.
doctor-retention-ok = То, что старше { $days } дн., удаляется.
