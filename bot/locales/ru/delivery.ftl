# Как итог запуска доходит до человека.

headline = Ответ готов.
answer-long = Это начало. Весь ответ в файле { $name }.
answer-long-verified = Это начало. Весь ответ в файле { $name }. { $verified }
table-outside = Таблица { $number }: смотрите картинку и { $name }.
files-refused = Не получилось передать файлы: { $reason }. Они сохранены.
resend-hint = /resend попробует ещё раз.
may-be-missing = Связь оборвалась во время отправки. Если чего-то не хватает, /resend пришлёт это снова.
