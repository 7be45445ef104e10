"""The orchestrator's part of the recipes: which todos, in which order, and the answer made of the reports."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from agent.recipes.briefing import Briefing, PlannedTodo, Reply
from agent.recipes.comprehension import understood
from agent.recipes.report import Report
from agent.recipes.texts import Texts
from agent.recipes.wish import Product, Wish

Call = tuple[str, dict[str, object]]
"""A tool's name and its arguments."""

EDA, CHARTS, DECK, WORKBOOK, REPORT, TEXT_DECK, LOOK = (
    "eda-analysis",
    "charts",
    "presentation",
    "workbook",
    "pdf-report",
    "text-deck",
    "look",
)
PROSE = (".md", ".markdown", ".txt", ".docx")
MAX_ATTEMPTS = 2
MAX_MIND = 7
MAX_STEM = 40
"""Characters of a file's name that its deliverables take over."""
MIN_PROSE = 200
"""Characters of a request that are worth a deck when there is no file."""


def conduct(briefing: Briefing) -> str | list[Call]:
    """The next calls, or the answer in words."""
    texts = Texts.load(briefing.language)
    if briefing.plan:
        return _go_on(briefing, texts) or _answer(briefing, texts)
    refused = [reply for reply in briefing.replies if reply.tool == "create_todo_list" and not reply.ok]
    if refused:
        return texts.say("no_plan", reason=refused[-1].summary)
    todos = _todos(briefing, texts)
    if not todos:
        return f"{texts.say('nothing_to_do')}\n\n{texts.say('offline')}"
    first = str(todos[0]["id"])
    return [("create_todo_list", {"todos": todos}), ("start_next_todo", {"id": first})]


def _todos(briefing: Briefing, texts: Texts) -> list[dict[str, object]]:
    wish = Wish.read(briefing.request)
    prose = _prose(briefing, wish)
    if prose is not None:
        return [_todo(briefing, texts, TEXT_DECK, wish, inputs=prose, skills=["presentation"])]
    if not briefing.profile:
        return []
    if not briefing.may_hold_tables:
        return [_todo(briefing, texts, LOOK, wish, skills=["eda"])]
    todos = [_todo(briefing, texts, EDA, wish, skills=["eda"])]
    for product, name, skills in (
        (Product.CHARTS, CHARTS, ["eda", "charts"]),
        (Product.DECK, DECK, ["eda", "presentation"]),
        (Product.WORKBOOK, WORKBOOK, ["eda", "excel-report"]),
        (Product.PDF, REPORT, ["eda", "pdf-report"]),
    ):
        if product in wish.to_make:
            todos.append(_todo(briefing, texts, name, wish, skills=skills, depends_on=[EDA]))
    return todos


def _prose(briefing: Briefing, wish: Wish) -> list[str] | None:
    """Texts to make a deck of: files, no file for the request itself, None when there is no text for one."""
    asked = bool(wish.products & {Product.DECK, Product.PDF})
    files = briefing.files
    if not briefing.profile:
        return [] if asked and len(briefing.request) >= MIN_PROSE else None
    documents = [name for name in files if PurePosixPath(name).suffix.lower() in PROSE]
    tables = [name for name in documents if name in briefing.tables]
    prose = not any(wish.analysis or name.lower().endswith(".txt") for name in tables)
    return documents if asked and documents and prose and len(documents) == len(files) else None


def _todo(
    briefing: Briefing,
    texts: Texts,
    name: str,
    wish: Wish,
    *,
    skills: Sequence[str],
    inputs: Sequence[str] | None = None,
    depends_on: Sequence[str] = (),
) -> dict[str, object]:
    files = list(briefing.files if inputs is None else inputs)
    subject = ", ".join(files[:3]) + (" …" if len(files) > 3 else "") or texts.say("the_message")
    key = name.replace("-", "_")
    success = texts.say(f"success_{key}")
    if wish.slides and name in (DECK, TEXT_DECK):
        success = f"{success}; {texts.say('success_slides', slides=wish.slides)}"
    return {
        "id": name,
        "title": f"{texts.say(f'title_{key}')}: {subject}",
        "skills": [skill for skill in skills if skill in briefing.skills],
        "inputs": files,
        "success": success,
        "outputs": output_names(name, files),
        "depends_on": list(depends_on),
    }


def output_names(name: str, inputs: Sequence[str]) -> list[str]:
    """What a todo leaves in out/, named after its file; such names stay as they are when they are sent."""
    stem = PurePosixPath(inputs[0]).stem if len(inputs) == 1 else "overview" if inputs else "message"
    stem = re.sub(r"[^\w-]+|_+", "_", unicodedata.normalize("NFC", stem))
    stem = re.sub(r"_{2,}", "_", stem).strip("_-")[:MAX_STEM].encode()[: 2 * MAX_STEM].decode(errors="ignore")
    stem = stem.rstrip("_-") or "data"
    return {
        EDA: [f"{stem}_summary.csv", f"{stem}_findings.json"],
        CHARTS: [f"{stem}_chart_1.png"],
        DECK: [f"{stem}_deck.pptx"],
        TEXT_DECK: [f"{stem}_deck.pptx"],
        WORKBOOK: [f"{stem}_tables.xlsx"],
        REPORT: [f"{stem}_report.pdf"],
    }.get(name, [])


def _go_on(briefing: Briefing, texts: Texts) -> list[Call]:
    """Judge the reports that came, then start what can be started; nothing when no todo is open."""
    reports = _reports(briefing.replies)
    calls: list[Call] = []
    state: dict[str, str] = {}
    for todo in briefing.plan:
        call = _judged(todo, reports.get(todo.id), briefing, texts) if todo.mark == ">" else None
        state[todo.id] = todo.mark if call is None else "x" if call[0] == "complete_todo" else "!"
        calls += [] if call is None else [call]
    for todo in briefing.plan:
        if state[todo.id] not in " >":
            continue
        stopped = [name for name in todo.depends_on if state.get(name) == "!"]
        if stopped:
            state[todo.id] = "!"
            reason = texts.say("depends", others=", ".join(stopped))
            calls.append(("block_todo", {"id": todo.id, "reason": reason}))
        elif all(state.get(name) == "x" for name in todo.depends_on):
            calls.append(("start_next_todo", {"id": todo.id}))
    return calls


def _judged(todo: PlannedTodo, report: Report | None, briefing: Briefing, texts: Texts) -> Call | None:
    """None for a todo that has to be started, again if need be."""
    if report is None:
        if _starts(briefing.replies, todo.id) < MAX_ATTEMPTS:
            return None
        return ("block_todo", {"id": todo.id, "reason": texts.say("no_report")})
    if report.problem:
        return ("block_todo", {"id": todo.id, "reason": report.problem})
    return ("complete_todo", {"id": todo.id, "notes": report.headline})


def _starts(replies: Iterable[Reply], name: str) -> int:
    return sum(reply.tool == "start_next_todo" and reply.arguments.get("id") == name for reply in replies)


def _reports(replies: Iterable[Reply]) -> dict[str, Report]:
    """The last report of each todo."""
    return {
        str(reply.arguments.get("id")): Report.parse(reply.body)
        for reply in replies
        if reply.tool == "start_next_todo" and reply.ok and reply.body
    }


def _answer(briefing: Briefing, texts: Texts) -> str:
    """The conclusion, the facts, what to mind, the files; then that no model was at work."""
    reports = _reports(briefing.replies)
    done = [reports[todo.id] for todo in briefing.plan if todo.mark == "x" and todo.id in reports]
    parts: list[str] = []
    if briefing.tables and not _is_clear(briefing, texts):
        parts.append(texts.say("not_understood"))
    if done:
        parts.append(f"**{done[0].headline}**")
        parts.append(_bullets(done[0].facts))
    failed = [f"{todo.title}: {todo.notes}" for todo in briefing.plan if todo.mark == "!"]
    if failed:
        parts.append(f"{texts.say('not_done')}\n{_bullets(failed)}")
    mind = [*(done[0].mind[:MAX_MIND] if done else ()), *_substitutes(briefing, texts)]
    if mind:
        parts.append(f"{texts.say('mind')}\n{_bullets(mind)}")
    files = [line for report in reversed(done) for line in report.files]
    if files:
        parts.append(f"{texts.say('files')}\n{_bullets(files)}")
    return "\n\n".join([*(part for part in parts if part), texts.say("offline")])


def _is_clear(briefing: Briefing, texts: Texts) -> bool:
    named = bool(Wish.read(briefing.request).products)
    return named or understood(briefing.request, briefing.profile, texts.sections["hints"])


def _substitutes(briefing: Briefing, texts: Texts) -> list[str]:
    wish = Wish.read(briefing.request)
    made = {todo.id for todo in briefing.plan if todo.mark == "x"}
    return [texts.say("no_pdf")] if Product.PDF in wish.products and TEXT_DECK in made else []


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
