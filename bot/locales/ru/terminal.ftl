# Командная строка и чат в терминале.

settings-unreadable = Не читается { $file } ({ $reason }).
settings-unknown = Настройки { $name } нет. Все они описаны в .env.example.
settings-misspelt = Настройки { $name } нет. Может быть, { $nearest }? Все они описаны в .env.example.
settings-invalid = Значение { $name } не подходит: { $reason }. Смотрите .env.example.
settings-model-address = { $name } указывает на { $host }: там облако хранит ключи своих машин. Модели там нет, и к этому адресу я не обращаюсь.
settings-proxy = { $name }: таким прокси воспользоваться нельзя. Адрес должен начинаться с http:// или https://; SOCKS не поддерживается.
settings-certificates-bad = { $name }: в { $file } нет сертификата. Нужен файл PEM со строкой -----BEGIN CERTIFICATE-----.
settings-certificates-unreadable = { $name }: не читается { $file } ({ $reason }).
data-not-ours = Папка { $folder } общая. Укажите в DECKHAND_DATA отдельную папку, например { $folder }/deckhand.
storage-unavailable = Папкой данных или базой нельзя пользоваться: { $reason }. Выполните `deckhand doctor`.
log-unwritable = Не получается писать в { $file }: { $reason }. Укажите в DECKHAND_DATA свою папку.
skills-invalid = Навык не годится: { $reason }
policy-invalid = Правила песочницы не годятся: { $reason }
sandbox-unavailable = Песочницей нельзя воспользоваться: { $reason }. Команда `deckhand doctor` покажет, чего не хватает.
sandbox-degraded = Эта машина не выполняет того, что обещают правила песочницы, поэтому ничего не запущено. Почините это или перечислите допустимое в allow_degraded; `deckhand sandbox selftest` покажет все проверки.
    { $reason }
sandbox-image-missing = На этой машине ещё не собран образ песочницы. Выполните один раз `{ $command }`.
sandbox-build-needless = Ни правила песочницы, ни навыки не требуют пакетов: годится образ, который собирает `make image`.
sandbox-build-done = Образ { $image } готов.
sandbox-build-failed = Образ песочницы собрать не удалось: { $reason }
sandbox-e2b-keyless = В SANDBOX_URL указан { $url }, а ключа для E2B нет: укажите E2B_API_KEY.
serve-listening = Песочницы выдаются по адресу { $address }
serve-two-addresses = Служба слушает сокет или порт, но не оба сразу. --group годится только вместе с --socket.
serve-no-port = --host годится только вместе с --port: без порта служба слушала бы сокет.
serve-no-group = Группы { $name } нет.
serve-token-unreadable = Токен не читается из { $file } ({ $reason }).
serve-token-missing = Для порта нужен токен хотя бы из { $length } простых знаков: задайте SANDBOX_TOKEN или назовите файл в --token-file.
unexpected = У меня что-то сломалось; подробности в { $file } под номером { $id }.

offline-note = Модель не настроена (LLM_BASE_URL, LLM_API_KEY), поэтому работают встроенные рецепты без модели: обычный обзор, графики и презентация.
model-note = Модель: { $model }, адрес: { $host }
ask-request-empty = Просьба пуста. Напишите, пожалуйста, что нужно: deckhand ask data.csv "что в нём?"
ask-request-missing = Напишите, пожалуйста, что нужно, в кавычках после файлов: deckhand ask data.csv "что в нём?"
ask-file-missing = Файла «{ $name }» нет. Проверьте путь; просьба пишется последней, в кавычках.
ask-file-folder = «{ $name }» — это папка. Назовите файлы в ней, например { $name }/*.csv
ask-file-unreadable = Не читается «{ $name }»: { $reason }.
ask-out-unusable = Не получается сохранять файлы в «{ $name }»: { $reason }.
cancel-first = Останавливаюсь: всё, что уже сделано, сохранится. Нажмите Ctrl-C ещё раз, чтобы выйти немедленно.
interrupted-runs = { $count ->
    [one] Раньше прервался { $count } запуск. Его завершит `deckhand resume`.
    [few] Раньше прервались { $count } запуска. Их завершит `deckhand resume`.
   *[many] Раньше прервались { $count } запусков. Их завершит `deckhand resume`.
}
resume-none = Прерванных запусков нет.
resume-going-on = { $count ->
    [one] Продолжаю { $count } прерванный запуск.
    [few] Продолжаю { $count } прерванных запуска.
   *[many] Продолжаю { $count } прерванных запусков.
}
resume-telling = Запуск «{ $request }» завершился, но итог показан не был. Вот он.
outcome-untold = Итог сохранён, но показать его не получилось. Команда `deckhand resume` попробует ещё раз.
run-elsewhere = Над этим уже работает другой процесс.
serve-nothing = Обслуживать нечего: TELEGRAM_BOT_TOKEN не задан, и это не терминал. Возьмите токен у @BotFather и впишите его в .env.

chat-welcome = Здравствуйте! Напишите, что нужно; путь в строке или /file ПУТЬ добавляет файл. /help — список команд, Ctrl-D — выход.
file-missing = Файла «{ $name }» нет.
file-attached = { $count ->
    [one] Файл принят: { $names }. Что с ним сделать?
   *[other] Файлы приняты: { $names }. Что с ними сделать?
}
files-here = Файлы:
