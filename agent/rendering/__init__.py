"""Pictures of a run's files, and what only LibreOffice can tell of them, made in a sandbox that has it.

Beside this module lie the guest's scripts. They are no skill: the containers of todos have no LibreOffice, so
a model could only be misled by them.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib.resources import files
from pathlib import Path, PurePosixPath

import structlog
from pydantic import TypeAdapter, ValidationError

from agent.bench import Bench
from agent.events import ArtifactSaved
from agent.folder import RunFolder
from agent.rendering.result import Preview, Rendering, Unrendered, findings, read
from agent.run import RunContext
from sandbox.errors import SandboxError
from sandbox.policy import RENDER_NAME
from sandbox.session import InputFile, SandboxSession, Workspace
from storage.artifacts import ArtifactStore, put_path
from storage.records import ArtifactKind, RunId

__all__ = ["Preview", "Rendering", "Unrendered", "findings", "render", "save_previews", "sources"]

SUFFIXES = (".pptx", ".pdf", ".xlsx", ".docx")
"""Of what can be rendered."""
MAX_FILES = 20
SECONDS = 180
"""For all files of one call; a policy with a shorter timeout ends it earlier."""
PATIENCE = 210.0
"""Seconds for them and the wait for a container: what waits for pictures needs time of its own."""
LOCALES = {"en": "en-US", "ru": "ru-RU"}
"""Of those who read the results, by the language of their request."""
LEDGER_KEY = "rendering"
MAIN = "render_files.py"
MODULES = ("render_office.py", "render_pages.py", "render_book.py", MAIN)
_RENDERING = TypeAdapter(Rendering)
_log = structlog.stdlib.get_logger(__name__)


def sources() -> dict[str, str]:
    """File names and sources of the guest's scripts, in the order in which they are to be staged."""
    folder = files("agent.rendering") / "scripts"
    return {name: (folder / name).read_text(encoding="utf-8") for name in MODULES}


async def render(context: RunContext, names: Sequence[str]) -> Rendering:
    """Pictures of those files of out/ that can have them. Never fails: what is missing is told in the value.

    The same files are rendered once, also by a run that is resumed.
    """
    wanted = tuple(name for name in names if PurePosixPath(name).suffix.lower() in SUFFIXES)[:MAX_FILES]
    wanted = tuple(name for name in wanted if (context.folder.out / name).is_file())
    if not wanted:
        return Rendering()
    try:
        rendering = await _once(context, wanted)
    except (SandboxError, OSError) as error:
        rendering = Rendering(unavailable=str(error) or f"no pictures within {PATIENCE:.0f} s")
    if rendering.unavailable:
        _log.warning("rendering.unavailable", reason=rendering.unavailable)
    return rendering


async def save_previews(
    run_id: RunId, folder: RunFolder, rendering: Rendering, artifacts: ArtifactStore
) -> Sequence[ArtifactSaved]:
    """Put the pictures into the store, in the order of files and pages. The same again changes nothing."""
    saved: list[ArtifactSaved] = []
    for preview in rendering.previews:
        name = f"{preview.file}-{preview.page}.png"
        artifact = await put_path(
            artifacts,
            folder.previews / preview.name,
            kind=ArtifactKind.PREVIEW,
            name=name,
            run_id=run_id,
            media_type="image/png",
        )
        saved.append(
            ArtifactSaved(
                run_id=run_id,
                artifact_id=artifact.id,
                name=name,
                size=artifact.size,
                deliverable=False,
                preview=True,
            )
        )
    return saved


async def _once(context: RunContext, names: Sequence[str]) -> Rendering:
    """Raises: SandboxError, OSError."""
    state = await asyncio.to_thread(_digest, context.folder.out, names)
    key = f"{LEDGER_KEY}-{state}"
    known = await context.ledger.get(context.id, key)
    if known is not None and (rendering := _kept(known, context.folder)) is not None:
        return rendering
    async with asyncio.timeout(PATIENCE):
        rendering = await _rendered(context, names, state)
    if not rendering.unavailable:  # which may be mended by the next time
        await context.ledger.put(context.id, key, json.dumps(asdict(rendering)))
    return rendering


async def _rendered(context: RunContext, names: Sequence[str], state: str) -> Rendering:
    """Raises: SandboxError: there is no policy or no image for it here, or the engine failed twice."""
    # The guest sees a number and a kind for each file: no name can mean anything to a program there.
    guests = {f"{place:02}{PurePosixPath(name).suffix.lower()}": name for place, name in enumerate(names)}
    workspace = _workspace(context, guests, state)
    waiting = partial(context.sandbox_waits, None)
    async with Bench(context.sandbox, workspace, waiting=waiting) as bench:
        if not await bench.use(_stage):
            return Rendering(unavailable="the scripts that render do not suit the image")
        arguments = (str(SECONDS), LOCALES.get(context.run.language, "en-US"), *guests)
        result = await bench.use(lambda session: session.run(MAIN, arguments=arguments))
    await context.journal.script_ran(None, MAIN, result)
    return read(result, guests, state)


async def _stage(session: SandboxSession) -> bool:
    for name, source in sources().items():
        if any(finding.fatal for finding in await session.write(name, source)):
            return False
    return True


def _workspace(context: RunContext, guests: Mapping[str, str], state: str) -> Workspace:
    """The files as inputs, and an out/ of their state's own."""
    out = context.folder.previews / state
    out.mkdir(parents=True, exist_ok=True)
    return replace(
        context.workspace("rendering", state[:4]),
        inputs=tuple(
            InputFile(name=guest, source=context.folder.out / name) for guest, name in guests.items()
        ),
        out=out,
        skills=(),
        policy=RENDER_NAME,
    )


def _digest(out: Path, names: Sequence[str]) -> str:
    """Twelve hex digits of names and contents."""
    total = hashlib.sha256()
    for name in names:
        with (out / name).open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
        total.update(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())
    return total.hexdigest()[:12]


def _kept(known: str, folder: RunFolder) -> Rendering | None:
    """What an earlier process found, while its pictures are there."""
    try:
        rendering = _RENDERING.validate_json(known)
    except ValidationError:  # of another version of ours
        return None
    names = [*(preview.name for preview in rendering.previews), *rendering.recalculated.values()]
    return rendering if all((folder.previews / name).is_file() for name in names) else None
