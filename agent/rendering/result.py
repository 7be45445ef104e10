"""What came of rendering, as a value, and how it is read from what the guest printed. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from agent.verification import GateFinding
from sandbox.names import clean_text
from sandbox.session import ExitStatus, RunResult

MAX_PICTURES = 20
"""Of one file."""
_MAX_ERRORS = 20


class Unrendered(StrEnum):
    """Why there are no pictures of a file, or not all that there should be."""

    BROKEN = "broken"
    """LibreOffice, or poppler, does not open it."""
    EMPTY = "empty"
    """It has no pages."""
    MEMORY = "memory"
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A picture of one page."""

    file: str
    """Relative to out/."""
    page: int
    """From 1; of a workbook the number of the sheet among those that show anything."""
    name: str
    """Of the picture, relative to `RunFolder.previews`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """What came of rendering. The keys are files, relative to out/."""

    pages: Mapping[str, int] = field(default_factory=dict[str, int])
    """Of those that could be opened. Hidden slides and sheets are not counted, nor empty sheets."""
    errors: Mapping[str, Unrendered] = field(default_factory=dict[str, Unrendered])
    blank: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    """Pages with nothing on them, of those that were drawn."""
    formula_errors: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """`Sheet!B7: #DIV/0!`, after LibreOffice computed every formula anew."""
    recalculated: Mapping[str, str] = field(default_factory=dict[str, str])
    """Workbooks with formulas as LibreOffice computed them, relative to `RunFolder.previews`."""
    previews: tuple[Preview, ...] = ()
    unavailable: str = ""
    """Why nothing could be rendered here; then all else is empty."""


Page = Annotated[int, Field(ge=1, le=MAX_PICTURES)]


class _Told(BaseModel):
    """What the guest says of a file. Its numbers are believed, and nothing is opened because of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    pages: int = Field(ge=0, le=1_000_000)
    pictures: list[Page] = Field(max_length=MAX_PICTURES)
    blank: list[Page] = Field(max_length=MAX_PICTURES)
    error: str = Field(max_length=20)
    formula_errors: list[Annotated[str, Field(max_length=200)]] = Field(max_length=_MAX_ERRORS)
    recalculated: bool


class _Lacking(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    unavailable: bool


_LINE: TypeAdapter[_Lacking | dict[str, _Told]] = TypeAdapter(_Lacking | dict[str, _Told])


def read(result: RunResult, guests: Mapping[str, str], folder: str) -> Rendering:
    """`guests`: the files by the names that the guest has for them. `folder`: where in `RunFolder.previews`
    its out/ was copied to."""
    told: dict[str, _Told] = {}
    for line in result.stdout.splitlines():
        match _line(line):
            case _Lacking():
                return Rendering(unavailable="the image for rendering has no LibreOffice")
            case files:
                told |= {name: said for name, said in files.items() if name in guests}
    if not told and result.succeeded:
        return Rendering(unavailable="what renders said nothing")
    made = {file.path for file in result.files}
    found = {guests[name]: said for name, said in told.items()}
    errors = {file: _unrendered(said.error) for file, said in found.items() if said.error}
    errors |= {file: _untold(result) for name, file in guests.items() if name not in told}
    return Rendering(
        pages={file: said.pages for file, said in found.items() if said.pages},
        errors=errors,
        blank={file: tuple(said.blank) for file, said in found.items() if said.blank},
        formula_errors={
            file: tuple(map(clean_text, said.formula_errors))
            for file, said in found.items()
            if said.formula_errors
        },
        recalculated={
            guests[name]: f"{folder}/{name}"
            for name, said in told.items()
            if said.recalculated and name in made
        },
        previews=tuple(_previews(told, guests, folder, made)),
    )


def findings(rendering: Rendering) -> tuple[GateFinding, ...]:
    """What of it the gate should tell, by the gate's own codes: files that cannot be shown, empty pages and
    formulas that fail."""
    found: list[GateFinding] = []
    for file, error in rendering.errors.items():
        code = {Unrendered.BROKEN: "unreadable", Unrendered.EMPTY: "empty"}.get(error, "not_checked")
        detail = f"LibreOffice could not show it ({error.value}). Write it again, and simpler."
        found.append(_finding(1, code, file, "", detail, blocking=code != "not_checked"))
    for file, pages in rendering.blank.items():
        detail = "There is nothing on it. Fill it or leave it out."
        deck = PurePosixPath(file).suffix.lower() == ".pptx"
        found += [_finding(1, "empty", file, f"page {page}", detail, blocking=deck) for page in pages]
    for file, errors in rendering.formula_errors.items():
        for place, _, error in (text.rpartition(": ") for text in errors):
            detail = f"The formula gives {error} when it is computed. Mend it, or write the value."
            found.append(_finding(15, "formula_error", file, place, detail, blocking=True))
    return tuple(found)


def _line(line: str) -> _Lacking | dict[str, _Told]:
    try:
        return _LINE.validate_json(line)
    except ValidationError:  # a guest may print what it likes
        return {}


def _unrendered(code: str) -> Unrendered:
    try:
        return Unrendered(code)
    except ValueError:
        return Unrendered.BROKEN


def _untold(result: RunResult) -> Unrendered:
    """Why the guest came to its end before a file's turn."""
    match result.status:
        case ExitStatus.TIMEOUT:
            return Unrendered.TIMEOUT
        case ExitStatus.OUT_OF_MEMORY | ExitStatus.KILLED | ExitStatus.DISK_LIMIT:
            return Unrendered.MEMORY
        case _:
            return Unrendered.BROKEN


def _previews(
    told: Mapping[str, _Told], guests: Mapping[str, str], folder: str, made: Collection[str]
) -> list[Preview]:
    return [
        Preview(file=guests[name], page=page, name=f"{folder}/{picture}")
        for name, said in sorted(told.items())
        for page in sorted({*said.pictures})
        if (picture := f"{PurePosixPath(name).stem}-{page:02}.png") in made
    ]


def _finding(check: int, code: str, file: str, place: str, detail: str, *, blocking: bool) -> GateFinding:
    return GateFinding(check=check, code=code, file=file, place=place, detail=detail, blocking=blocking)
