"""Comprehension: whether a request holds any word that says what to do with a table."""

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_KNOWN = re.compile(
    r"a|an|the|i|we|you|me|us|my|our|your|it|its|this|that|these|those|is|are|was|were|be|do|does|did|can|could|would"
    r"|will|should|has|have|to|of|in|on|at|by|for|from|with|without|about|into|over|per|and|or|not|no|any|all|as"
    r"|what|which|who|whom|why|how|when|where|much|many|more|most|less|best|worst|top|please|hi|hello|thanks|ok"
    r"|go|run|do|make|made|create|build|prepare|give|show|tell|find|check|see|look|want|need|help|use|describ\w*"
    r"|explor\w*|explain\w*|analy\w*|research|stud\w+|eda|stat\w*|compar\w*|summar\w*|overview|insights?|reports?"
    r"|trends?|chang\w*|grow\w*|differ\w*|relat\w*|correlat\w*|depend\w*|distribut\w*|forecast\w*|predict\w*"
    r"|data\w*|files?|tables?|sheets?|columns?|rows?|numbers?|figures?|slides?|charts?|days?|weeks?|months?|years?"
    r"|quarters?|и|а|в|во|на|по|с|со|из|за|для|до|от|о|об|у|к|ко|не|ни|без|что|чем|как|кто|кого|где|когда|почему"
    r"|зачем|сколько|како\w+|каки\w+|эт\w+|то|тот|та|те|мне|нам|мой|мо[её]|наш\w*|есть|ли|или|же|бы|все|вс[её]"
    r"|пожалуйста|привет|спасибо|сделай\w*|сделать|давай\w*|построй\w*|построить|создай\w*|подготов\w*|дай\w*"
    r"|покаж\w*|показ\w*|скажи\w*|расска\w*|найди\w*|найти|провер\w*|посмотр\w*|глян\w*|хочу|нужн\w*|надо|помог\w*"
    r"|опиш\w*|опис\w*|объясн\w*|разбер\w*|разобр\w*|анализ\w*|проанализ\w*|исследу\w*|изуч\w*|сравн\w*|обзор\w*"
    r"|свод\w*|итог\w*|отч[её]т\w*|вывод\w*|динамик\w*|тренд\w*|измен\w*|меня\w*|рост\w*|завис\w*|связ\w*|прогноз\w*"
    r"|данн\w+|файл\w*|таблиц\w*|лист\w*|колон\w*|строк\w*|цифр\w*|числ\w*|дн\w{1,3}|день|недел\w*|месяц\w*"
    r"|год|года|году|годам|годы|лет|квартал\w*"
)
_SAME = 4
"""Letters that a word of the request and a word of the file have in common at least, where they are alike."""


def understood(request: str, profile: str, stems: Iterable[str] = ()) -> bool:
    """Whether a word is an everyday one of requests, or names something of the files; no word is no riddle.

    `stems` begin the words that the recipes can translate.
    """
    words = _WORD.findall(request.lower())
    if not words:
        return True
    of_files = {word[:_SAME] for word in _WORD.findall(profile.lower()) if len(word) > 2}
    known = (*of_files, *stems)
    return any(_KNOWN.fullmatch(word) or word.startswith(known) for word in words)
