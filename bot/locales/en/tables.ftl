# Tables of an answer as files.

tables-picture = answer table { $number }
tables-workbook = answer tables
tables-sheet = Table { $number }
tables-more-rows = … more rows in the workbook: { $count }
tables-more-columns = … more columns in the workbook: { $count }
