"""Checks 10 and 11: notes with sources, method and assumptions, titles that say the finding, few bullets."""

import re

from gate_fit import measure, text_room
from gate_model import finding, quoted
from gate_roles import is_divider

MOST_TITLE_LINES = 2
MOST_BULLETS = 6
"""Of one slide."""
_SOURCE = re.compile(
    r"\bsources?\b|\bdata:|\bfrom\b|based on|computed|\.(?:csv|xlsx?|tsv|json|parquet|db|sqlite|docx|pdf"
    r"|txt|zip)\b"
    r"|источник|данны[ех]|по файлу|из файла|рассчитан|посчитан|вычислен",
    re.IGNORECASE,
)
_METHOD = re.compile(
    r"\bmethod|\bassum|\blimitation|\bcaveat|how (?:this|we|it|the numbers)\b.{0,20}(?:was|were|made"
    r"|comput|count)"
    r"|метод|допущен|предпосыл|предполож|ограничен|как (?:мы )?(?:считал|посчита|рассчит)",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    r"\d|%|\?|!|:\s|\b(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|may|might|must|should|cannot|no|not"
    r"|more|less|fewer|most|least|than|higher|lower|better|worse|best|worst|largest|smallest|twice|half|double|triple|every|none|only"
    r"|grew|grow|grows|fell|fall|falls|rose|rise|rises|led|lead|leads|lost|lose|loses|won|win|wins|made|make|makes|brought|brings?"
    r"|kept|keeps?|held|holds?|came|comes?|went|goes|paid|pays?|sold|sells?|bought|buys?|cost|costs|cut|cuts|drove|drives?|drew|draws?"
    r"|took|takes?|gave|gives?|got|gets|saw|sees|spent|spends?|stood|stands?|beats?|hit|hits|ran|runs|shrank|shrinks?|slid|slides?"
    r"|sank|sinks?|began|begins?|became|becomes?|left|leaves|met|meets|needs?|shows?|says?|means?|depends?|differs?|varies|vary"
    r"|returns?|survives?|earns?|peaks?|doubles?|halves|triples?|declines?|increases?|decreases?|improves?|drops?|jumps?|remains?|stays?"
    r"|accounts?|carr(?:y|ies)|dominates?|explains?|repeats?|ask|check|start|stop|move|raise|focus|invest|review|read|try|use)\b"
    r"|\b[a-z]{3,}(?:ed|ize|izes|ise|ises)\b",
    re.IGNORECASE,
)
_CLAIM_RU = re.compile(
    r"\b\w{2,}(?:ет|ёт|ут|ют|ит|ат|ят|л|ла|ло|ли|лся|лась|лось|лись|ется|ются|ится|атся|ятся|ть|ться|йте)\b"
    r"|\b(?:нет|есть|не|больше|меньше|выше|ниже|чаще|реже|лучше|хуже|чем|вдвое|втрое|только|самы\w+|почти|треть|половина|нужн\w+|надо)\b|—",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?:by|per|across|overview|analysis|summary|results?|distribution|comparison|breakdown|trends?|statistics|dynamics|structure)\b"
    r"|\b(?:обзор|анализ|итоги|результаты|распределение|сравнение|динамика|структура|показатели|статистика|по)\b",
    re.IGNORECASE,
)
_SHORT = 3
"""Words of a title that seldom is a sentence."""
_WORD = re.compile(r"[^\W\d_]+")


def note_findings(view, file):
    """Check 10. A slide of content is any but the first, dividers, and the one on the method."""
    found, last = [], len(view.pages)
    for page in view.pages:
        if (page.number == 1 and last > 1) or page.hidden or is_divider(page, view):
            continue
        if page.number == last and _is_method(page):
            continue
        if not page.notes.strip():
            detail = (
                "The slide has no speaker notes. Write what to say, and the source: file, rows, "
                "how it was computed."
            )
            found.append(finding("notes_missing", file, page.place, detail))
        elif not _SOURCE.search(page.notes):
            detail = "The speaker notes name no source. Add a line 'Source: file, rows, how it was computed'."
            found.append(finding("notes_without_source", file, page.place, detail))
    if view.pages and view.count == last and not _is_method(view.pages[-1]):
        detail = (
            "The last slide is not on method and assumptions. Add one: data used, how it was "
            "computed, what was assumed."
        )
        found.append(finding("method_missing", file, view.pages[-1].place, detail))
    return found


def title_findings(view, file):
    """Check 11."""
    found, seen = [], {}
    for page in view.pages:
        found += _bullets(page, file)
        title = page.title
        if title is None:
            detail = "The slide has no title. Use the layout's title, and say the finding in it."
            found.append(finding("title_missing", file, page.place, detail))
            continue
        words = " ".join(title.words.split())
        same = seen.setdefault(words.lower(), page.number)
        if same != page.number:
            detail = f"The title {quoted(words)} is also that of slide {same}. Say what this slide adds."
            found.append(finding("title_repeated", file, page.place, detail))
        lines = measure(title.text, max(1.0, text_room(title)[0])).lines
        if lines > MOST_TITLE_LINES:
            detail = (
                f"The title takes {lines} lines; {MOST_TITLE_LINES} is the most. Say it in fewer "
                f"words: {quoted(words)}"
            )
            found.append(finding("title_long", file, page.place, detail))
        last = page.number == len(view.pages) and _is_method(page)
        if page.number > 1 and not last and not is_divider(page, view) and not says_something(words):
            detail = (
                f"{quoted(words)} names a topic. Say the finding: 'Sales fell in May', not 'Sales by month'."
            )
            found.append(finding("title_topic", file, page.place, detail))
    return found


def says_something(title):
    """Whether a title may be a finding: a guess, so it only warns.

    A topic is short or has a topic's words, and holds no verb, number or comparison.
    """
    russian = bool(re.search("[а-яё]", title, re.IGNORECASE))
    if (_CLAIM_RU if russian else _CLAIM).search(title) or re.search(r"\d|%|\?|:\s", title):
        return True
    if not russian and not title.isascii():
        return True
    return len(_WORD.findall(title)) > _SHORT and not _TOPIC.search(title)


def _bullets(page, file):
    count = sum(
        paragraph.bullet and bool(paragraph.words.strip())
        for piece in page.pieces
        if piece.kind == "text" and not piece.is_footer
        for paragraph in piece.text.paragraphs
    )
    if count <= MOST_BULLETS:
        return []
    detail = (
        f"The slide has {count} bullets; {MOST_BULLETS} is the most. Cut, or spread them over two slides."
    )
    return [finding("many_bullets", file, page.place, detail)]


def _is_method(page):
    return any(_METHOD.search(piece.words) for piece in page.pieces if piece.words)
