# Таблицы из ответа файлами.

tables-picture = таблица { $number } из ответа
tables-workbook = таблицы из ответа
tables-sheet = Таблица { $number }
tables-more-rows = … ещё строк в книге: { $count }
tables-more-columns = … ещё колонок в книге: { $count }
