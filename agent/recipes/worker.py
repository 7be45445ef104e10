"""The subagent's part of the recipes: read the skills, write and run the scripts, report what was printed."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from agent.recipes.briefing import Briefing, Reply
from agent.recipes.conductor import CHARTS, DECK, EDA, LOOK, REPORT, TEXT_DECK, WORKBOOK, Call, output_names
from agent.recipes.report import Report
from agent.recipes.texts import Texts, script
from agent.recipes.wish import Wish

_STORY = (
    "wording",
    "labels",
    "papers",
    "material",
    "asked",
    "exhibits",
    "exhibits_amounts",
    "exhibits_time",
    "exhibits_shape",
    "exhibits_links",
    "exhibits_funnel",
    "exhibits_years",
    "exhibits_small",
    "figures",
    "remarks",
    "choice",
    "story",
)
SCRIPTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        EDA: (*_STORY, "make_summary"),
        CHARTS: (*_STORY, "make_charts"),
        DECK: (*_STORY, "outline", "make_deck"),
        WORKBOOK: (*_STORY, "make_workbook"),
        REPORT: (*_STORY, "make_report"),
        TEXT_DECK: ("wording", "prose", "make_text_deck"),
        LOOK: ("wording", "papers", "material", "make_look"),
    }
)
"""The modules of each todo; the last one is run."""
_WORD = re.compile(r"\w{3,}")
_REASONS = {"timeout": "timeout", "out of memory": "memory", "disk limit": "disk"}


def work(briefing: Briefing) -> str | list[Call]:
    """The next calls, or the report."""
    texts = Texts.load(briefing.language)
    name = str(briefing.todo.get("id", ""))
    kind = next((known for known in SCRIPTS if name == known or name.startswith(f"{known}-")), None)
    if kind is None:
        return Report(problem=texts.say("unknown_todo")).text()
    ran = [reply for reply in briefing.replies if reply.tool == "write_and_run_python"]
    if ran:
        return _report(ran[-1], texts).text()
    skills = [skill for skill in _names(briefing.todo.get("skills")) if skill in briefing.skills]
    if skills and not any(reply.tool == "read_skill" for reply in briefing.replies):
        return [("read_skill", {"name": skill}) for skill in skills]
    *modules, last = SCRIPTS[kind]
    return [
        _sentences(texts, "story", "errors"),
        ("write_python_file", {"name": "task.py", "content": _task(briefing, kind)}),
        *(("write_python_file", {"name": f"{module}.py", "content": script(module)}) for module in modules),
        ("write_and_run_python", {"name": f"{last}.py", "content": script(last)}),
    ]


def _sentences(texts: Texts, *sections: str) -> Call:
    """A module of our sentences."""
    lines = [f'"""Sentences of the deliverables, language {texts.language}."""', ""]
    lines += [f"{section.upper()} = {dict(texts.sections[section])!r}" for section in sections]
    return ("write_python_file", {"name": "texts.py", "content": "\n".join(lines) + "\n"})


def _task(briefing: Briefing, kind: str) -> str:
    inputs = _names(briefing.todo.get("inputs"))
    texts, wish = Texts.load(briefing.language), Wish.read(briefing.request)
    lowered = briefing.request.lower()
    hints = list(dict.fromkeys(_WORD.findall(lowered)))[:80]
    hints += [
        word for stem, words in texts.sections["hints"].items() if stem in lowered for word in words.split()
    ]
    values: dict[str, object] = {
        "LANGUAGE": texts.language,
        "INPUTS": inputs,
        "OUTPUTS": output_names(kind, inputs),
        "SLIDES": wish.slides,
        "CHARTS": wish.charts,
        "ONE_PAGE": wish.one_page,
        "HINTS": hints,
    }
    if kind == TEXT_DECK and not inputs:
        values["MESSAGE"] = briefing.request
    lines = [f"{name} = {value!r}" for name, value in values.items()]
    return "\n".join(['"""What the request asks of the scripts."""', "", *lines]) + "\n"


def _report(reply: Reply, texts: Texts) -> Report:
    if reply.ok:
        said = Report.of_script(reply.body)
        return said or Report(problem=texts.say("silent"))
    reason = next((key for words, key in _REASONS.items() if words in reply.summary), None)
    if reason:
        return Report(problem=texts.say(f"failed_{reason}"))
    last = next((line for line in reversed(reply.body.splitlines()) if line.strip()), reply.summary)
    return Report(problem=texts.say("failed", reason=last.strip()[:200]))


def _names(value: object) -> list[str]:
    return [str(item) for item in cast("list[object]", value)] if isinstance(value, (list, tuple)) else []
