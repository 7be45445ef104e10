"""The sentence on a forecast, in English and Russian."""

_RUSSIAN = {
    "naive": "последнее значение",
    "seasonal naive": "значение сезон назад",
    "average": "среднее",
    "drift": "прямая от первого к последнему значению",
    "simple smoothing": "экспоненциальное сглаживание",
    "damped trend": "сглаживание с затухающим трендом",
    "Holt-Winters": "метод Хольта — Уинтерса",
}
WORDS = ("interval", "error", "values", "tested", "прогноз", "интервалы", "ошибка", "значений", "проверка")
"""By which the sentences call the numbers."""


def sentence(found, language):
    relative = found.errors.loc[found.method, "relative"]
    if language == "ru":
        name = _RUSSIAN[found.method]
        better = (
            f"в проверке на прошлом его ошибка составила {_ru(relative)} ошибки лучшего наивного прогноза"
            if found.beats_naive
            else "ни один метод не оказался заметно точнее этого простого прогноза"
        )
        return (
            f"Метод: {name}; {better}. В интервалы на {_ru(found.level, 0)} попало {_ru(found.coverage, 0)} "
            f"фактических значений проверки (всего {found.tested})."
        )
    better = (
        f"in the backtest its error was {relative:.1%} of the best naive forecast's"
        if found.beats_naive
        else "no method was clearly better than this naive forecast in the backtest"
    )
    return (
        f"Method: {found.method}; {better}. Intervals of {found.level:.0%} held {found.coverage:.0%} of the "
        f"{found.tested} actual values that they were tested on."
    )


def _ru(share, digits=1):
    return f"{share:.{digits}%}".replace(".", ",").replace("%", " %")
