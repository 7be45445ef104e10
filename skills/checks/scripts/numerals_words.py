"""Words and signs that stand around numbers, in English and Russian, as parts of patterns."""

import re

CURRENCIES = {
    "$": r"US\$|\$|USD\b|(?:US )?dollars?\b|доллар\w*|долл\.?",
    "€": r"€|EUR\b|euros?\b|евро\b",
    "£": r"£|GBP\b|pounds?\b|фунт\w*",
    "₽": r"₽|RUB\b|RUR\b|рубл\w+|руб\b\.?|р\.(?!\w)|roubles?\b|rubles?\b",
    "¥": r"¥|JPY\b|CNY\b|yen\b|yuan\b|иен\w*|юан\w+",
    "₴": r"₴|UAH\b|грив\w+|грн\b\.?",
    "₸": r"₸|KZT\b|тенге\b",
    "₹": r"₹|INR\b|rupees?\b|рупи\w+",
    "₩": r"₩|KRW\b",
}
CURRENCY = re.compile("|".join(f"(?P<c{n}>{one})" for n, one in enumerate(CURRENCIES.values())), re.I)
CURRENCY_TEXT = "(?:" + "|".join(CURRENCIES.values()) + ")"
SCALES = (
    (1e3, r"[kK](?![\w])|тыс\b\.?|тысяч\w*|thousands?\b"),
    (1e6, r"[mM](?![\w])|MM\b|mln\b\.?|mn\b|млн\b\.?|миллион\w*|millions?\b"),
    (1e9, r"[bB](?![\w])|bn\b|mlrd\b|млрд\b\.?|миллиард\w*|billions?\b"),
    (1e12, r"tn\b|трлн\b\.?|триллион\w*|trillions?\b"),
)
SCALE = re.compile("|".join(f"(?P<s{n}>{one})" for n, (_, one) in enumerate(SCALES)))
POINTS = re.compile(
    r"п\.\s?п\.?|пп\b|pp\b|p\.p\.|ppts?\b|(?:percent(?:age)?|%)[ -]points?\b|процентн\w+ пункт\w*", re.I
)
PERCENT = re.compile(r"%|percent\b|per cent\b|pct\b|процент\w*", re.I)
TIMES = re.compile(r"(?:[x×х](?![\w])|[- ]?fold\b|times\b|раза?\b)", re.I)
MEASURES = (
    ("years", r"years?|yrs?|лет|год(?:а|у|ы|ом|ов)?|years?-old"),
    ("months", r"months?|месяц\w*|мес"),
    ("weeks", r"weeks?|недел\w+"),
    ("days", r"days?|дн(?:я|ей|и|ям)|день|сут\w+"),
    ("hours", r"hours?|hrs?|час(?:а|ов|ы)?"),
    ("minutes", r"minutes?|mins?|минут\w*|мин"),
    ("seconds", r"seconds?|secs?|секунд\w*|сек"),
    ("kg", r"kgs?|kilograms?|кг|килограмм\w*"),
    ("tonnes", r"tons?|tonnes?|тонн\w*"),
    ("km", r"km|kilomet(?:er|re)s?|км|километр\w*"),
    ("miles", r"miles?|мил[ьяи]\w*"),
    ("m²", r"m²|m2|sqm|м²|кв"),
    ("degrees", r"°\s?[CFС]?|degrees?|градус\w*"),
)
MEASURE = re.compile("|".join(f"(?P<m{n}>{one})" for n, (_, one) in enumerate(MEASURES)), re.I)

DATA_NOUN = re.compile(
    r"(?:rows?|records?|cases|observations?|missing|null|blank|empty|duplicate\w*|customers?"
    r"|clients?|users?"
    r"|visit\w*|orders?|invoices?|returns?|cancel\w+|transactions?|purchases?|sales|units|items?"
    r"|products?|codes?"
    r"|people|persons?|passengers?|employees?|staff|students?|patients?|women|men|children|survived"
    r"|died|stores?"
    r"|shops?|countries|cities|regions|outliers?|columns?|fields?"
    r"|строк\w*|запис\w+|случа\w+|наблюдени\w+|пропу\w+|пуст\w+|дубл\w+|клиент\w*|покупател\w+"
    r"|пользовател\w+"
    r"|визит\w*|заказ\w*|счет\w*|счёт\w*|возврат\w*|отмен\w*|транзакц\w+|покуп\w+|продаж\w*|штук\w*"
    r"|шт|товар\w*"
    r"|человек\w*|люд\w+|чел|пассажир\w*|сотрудник\w*|студент\w*|пациент\w*|женщин\w*|мужчин\w*"
    r"|дет\w+|погиб\w*"
    r"|выжи\w+|магазин\w*|стран\w*|город\w*|регион\w*|выброс\w*|колон\w+|столб\w+)\b",
    re.I,
)
STRUCTURE_NOUN = re.compile(
    r"(?:options?|steps?|slides?|pages?|reasons?|ways?|charts?|sheets?|tables?|files?|points?"
    r"|parts?|sections?"
    r"|questions?|tasks?|actions?|ideas?|findings?|conclusions?|recommendations?|takeaways?|phases?"
    r"|stages?|tips?"
    r"|bullets?|figures?|paragraphs?|priorit\w+|hypothes\w+|assumptions?|approaches|scenarios?|methods?"
    r"|вариант\w*|шаг\w*|слайд\w*|страниц\w*|причин\w*|способ\w*|диаграмм\w*|график\w*|лист\w*"
    r"|таблиц\w*|файл\w*"
    r"|пункт\w*|част\w+|раздел\w*|вопрос\w*|задач\w*|действи\w+|иде\w+|вывод\w*|рекомендаци\w+"
    r"|этап\w*|совет\w*"
    r"|рисун\w+|абзац\w*|приоритет\w*|гипотез\w*|допущени\w+|подход\w*|сценари\w+|метод\w*)\b",
    re.I,
)
BEFORE = (
    (
        "about",
        re.compile(
            r"(?:[~≈]|\b(?:about|around|approximately|approx\.?|roughly|circa|some|около|примерно"
            r"|порядка|приблизительно|где-то)) ?$",
            re.I,
        ),
    ),
    (
        "over",
        re.compile(
            r"(?:>|\b(?:over|more than|above|exceed\w*|at least|upwards of|(?:чуть )?более(?: чем)?"
            r"|больше(?: чем)?|свыше|не менее|выше|превы\w+)) ?$",
            re.I,
        ),
    ),
    (
        "under",
        re.compile(
            r"(?:\b(?:almost|nearly|just under|under|less than|fewer than|below|close to|up to"
            r"|почти|менее(?: чем)?|меньше(?: чем)?|без малого|не более|ниже|до|близко к)) ?$",
            re.I,
        ),
    ),
)
BOUND = re.compile(
    r"(?:[<>≤≥]=?|\b(?:over|under|above|below|up to|at least|at most|from|since|until|older than"
    r"|younger than"
    r"|more than|less than|fewer than|greater than|first|last|next|every|aged|ages|between|min|max|within"
    r"|до|от|с|после|свыше|более|менее|больше|меньше|старше|младше|моложе|не менее|не более"
    r"|первы[ех]|последни[ех]"
    r"|кажды[ейх]|между|выше|ниже|в течение|за|лучши[ех]|худши[ех])) ?$",
    re.I,
)
FALL = re.compile(
    r"\b(?:f[ae]ll\w*|drop\w*|declin\w+|decreas\w+|down|lower|loss\w*|los[et]\w*|less|fewer"
    r"|shr[aiu]nk\w*|reduc\w+"
    r"|negative|return\w*|refund\w*|cancel\w*|deficit|below|cut|minus|behind|worse"
    r"|упа\w+|пад\w+|сни[зж]\w+|просе\w+|просад\w+|меньш\w+|ниже|убы\w+|минус\w*|поте\w+|сокра\w+"
    r"|возврат\w*|отмен\w*"
    r"|умень\w+|хуже|недобор\w*|спад\w*|отста\w+)\b",
    re.I,
)
COUNTED = re.compile(
    r"(?:№|#|\b(?:no\.|number|top|топ|figure|fig\.|table|chart|slide|slides|page|pages|p\.|pp\."
    r"|step|part|section"
    r"|chapter|appendix|option|phase|level|question|item|note|line|sheet|tier|rank|place|column|row"
    r"|todo|task"
    r"|рис\.|рисунок|табл\.|таблица|диаграмма|график|слайд\w*|стр\.|страниц\w*|с\.|шаг\w*|часть"
    r"|раздел\w*|глава"
    r"|приложение|вариант\w*|этап\w*|уровень|вопрос|пункт\w*|п\.|лист|ранг|место|номер|строка"
    r"|столбец|задача))"
    r"[ \u00a0-]?$",
    re.I,
)
CODED = re.compile(
    r"\b(?:invoice|order|id|ids|code|sku|ticket|account|zip|postcode|postal code|article|ref"
    r"|version|ver\.|v\.?|python|build"
    r"|release|iso|rfc|port|счет\w*|счёт\w*|накладн\w+|код\w*|артикул\w*|чек\w*|билет\w*"
    r"|индекс\w*|версия|версии"
    r"|заказ|договор\w*|инн|огрн)[ \u00a0]?(?:no\.?|number|№|#|:)?[ \u00a0]?$",
    re.I,
)
CONFIDENCE = re.compile(
    r"[ -]?(?:confidence|ci\b|c\.i\.|credible|prediction|interval|level|доверит\w*|ди\b|интервал\w*"
    r"|уровн\w+"
    r"|довери\w+|прогнозн\w+ (?:интервал|коридор)\w*)",
    re.I,
)
"""After a percentage: 95% is then a convention, as are 5% and 0.05 of a test."""


def currency_of(text):
    """The sign of a currency's name or code, or ""."""
    match = CURRENCY.fullmatch(text.strip())
    return list(CURRENCIES)[int(match.lastgroup[1:])] if match else ""


def scale_of(match):
    return SCALES[int(match.lastgroup[1:])][0]


def measure_of(word):
    match = MEASURE.fullmatch(word)
    return MEASURES[int(match.lastgroup[1:])][0] if match else ""
