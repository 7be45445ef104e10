# Сообщение о ходе работы.

progress-working = Работаю
progress-finished = Готово
progress-failed = Остановлено
progress-cancelled = Отменено
progress-paused = Прервано, продолжу при следующем запуске
progress-resumed = Продолжаю с места, где прошлая попытка прервалась.
progress-count = шагов { $done } из { $total }
progress-tokens = токенов { $tokens }

step-planning = читаю просьбу и файлы, составляю план
step-thinking = обдумываю следующий шаг
step-answering = собираю ответ
step-other = работаю: { $subject }
step-unnamed = работаю
step-of-todo = { $todo }: { $step }
step-profile-inputs = смотрю на файлы
step-create-todo-list = составляю план
step-revise-todo-list = меняю план
step-start-next-todo = начинаю: { $subject }
step-complete-todo = отмечаю: { $subject }
step-block-todo = откладываю: { $subject }
step-read-skill = читаю руководство «{ $subject }»
step-list-input-files = смотрю на файлы
step-list-output-files = смотрю на результаты
step-read-file-content = читаю { $subject }
step-write-python-file = пишу { $subject }
step-run-python-file = запускаю { $subject }
step-write-and-run-python = пишу и запускаю { $subject }
step-write-and-run-script = пишу и запускаю { $subject }
step-fix-and-run-python = исправляю и запускаю { $subject }
step-check-results = проверяю результаты
step-rerun-scripts = запускаю скрипты ещё раз
step-render-pages = делаю картинки страниц
step-review-pages = смотрю на страницы ещё раз
step-ask-person = жду вашего ответа
step-wait-for-sandbox = жду песочницу (впереди { $subject })

# Строка, которая от него остаётся.
settled-finished = ✓ Готово
settled-failed = ✕ Остановлено
settled-cancelled = ■ Отменено
settled-paused = ‖ Прервано, продолжу при следующем запуске
