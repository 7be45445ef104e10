# Что проверено в результатах: строка под ответом и то, что говорит /why.

verified-numbers = Прослежено чисел: { $traced } из { $numerals }
verified-rerun-identical = повторный прогон совпал
verified-rerun-different = повторный прогон разошёлся
verified-rerun-failed = повторный прогон не удался
verified-untraced = Не прослежены: { $numbers }
verified-number = { $number } ({ $place })
verified-number-asserted = { $number } ({ $place }; взято из источника, не вычислено)
verified-in-answer = ответ
verified-more-numbers = ещё { $count }
verified-differences = При повторе: { $facts }
verified-finding = { $place }: { $what }
verified-more = … и ещё { $count }: /why

# По номеру проверки. У отдельного кода может быть своя фраза.
finding-1 = может открыться не везде как надо
finding-2 = остался пустой заполнитель или лишний текст
finding-3 = что-то выходит за край страницы или слишком близко к нему
finding-4 = текст может не поместиться в рамку
finding-5 = элементы накладываются друг на друга
finding-6 = слишком мелкий текст или слишком много шрифтов
finding-7 = текст плохо виден на своём фоне
finding-8 = у диаграммы чего-то нет: данных, осей или единиц
finding-9 = картинка размыта, искажена или без описания
finding-10 = нет заметок с источниками или страницы о методе
finding-11 = заголовок не говорит о выводе, повторяется или слишком длинный
finding-12 = у символа нет начертания в шрифте
finding-13 = слишком много одинаковых слайдов
finding-14 = число не удалось проследить
finding-15 = в формуле ошибка
finding-16 = второй взгляд нашёл, что поправить
finding-unchecked = проверить не удалось
finding-other = что-то не так, как должно быть
