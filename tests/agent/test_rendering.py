"""Pictures of results: what the host believes of the guest, what is kept, and real files of every kind."""

import io
import json
import zipfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import docx
import openpyxl
import pytest
from PIL import Image
from pptx import Presentation
from pptx.util import Inches

from agent.budget import Budget, Limits
from agent.folder import RunFolder
from agent.journal import Journal
from agent.models import ModelSettings, build_models
from agent.rendering import Preview, Rendering, Unrendered, findings, render, save_previews, sources
from agent.rendering.result import read
from agent.rules import PolicyRules
from agent.run import RunContext
from agent.scripts import read_names
from sandbox.docker import DockerSandbox
from sandbox.errors import PolicyError
from sandbox.images import image_of
from sandbox.policy import DEFAULT_NAME, RENDER_NAME, Policy
from sandbox.probe.prove import prove
from sandbox.rendering import load_rendering
from sandbox.session import ExitStatus, FileEntry, InputFile, RunResult, Sandbox, Workspace
from skills.catalog import SkillCatalog
from storage.artifacts import open_artifacts
from storage.checkpoints import open_checkpointer
from storage.conversations import Conversations
from storage.database import open_database
from storage.events import Events
from storage.ledger import Ledger
from storage.records import ArtifactKind
from storage.runs import Runs
from tests.conftest import changed
from tests.fakes import FakeRun, FakeSandbox

MAIN = "render_files.py"
PICTURE = b"\x89PNG one"


def line(name: str, **said: object) -> str:
    usual = {
        "pages": 0,
        "pictures": [],
        "blank": [],
        "error": "",
        "formula_errors": [],
        "recalculated": False,
    }
    return json.dumps({name: usual | said})


def ran(*lines: str, made: Sequence[str] = (), status: ExitStatus = ExitStatus.OK) -> RunResult:
    files = tuple(FileEntry(path=path, size=1) for path in made)
    return RunResult(status=status, exit_code=0, stdout="\n".join(lines), stderr="", files=files)


def test_pictures_are_those_that_were_told_and_made() -> None:
    told = line("00.pptx", pages=3, pictures=[1, 2, 3], blank=[2])
    rendering = read(ran(told, made=["00-01.png", "00-03.png", "x.png"]), {"00.pptx": "sub/deck.pptx"}, "f")
    assert rendering == Rendering(
        pages={"sub/deck.pptx": 3},
        blank={"sub/deck.pptx": (2,)},
        previews=(
            Preview(file="sub/deck.pptx", page=1, name="f/00-01.png"),
            Preview(file="sub/deck.pptx", page=3, name="f/00-03.png"),
        ),
    )


@pytest.mark.parametrize(
    "printed",
    [
        "noise",
        "[]",
        '{"00.pptx": 1}',
        line("../../etc/passwd", pages=1),
        line("00.pptx", pages=-1),
        line("00.pptx", pages=True),
        line("00.pptx", pages=1, pictures=[0]),
        line("00.pptx", pages=1, pictures=[10**30]),
        line("00.pptx", pages=1, more=1),
        line("00.pptx", formula_errors=["x" * 201]),
        "[" * 100_000,
    ],
)
def test_what_the_guest_prints_is_believed_only_in_its_form(printed: str) -> None:
    good = line("01.pdf", pages=1)
    rendering = read(ran(printed, good), {"00.pptx": "a.pptx", "01.pdf": "b.pdf"}, "f")
    assert rendering == Rendering(pages={"b.pdf": 1}, errors={"a.pptx": Unrendered.BROKEN})


def test_a_guest_that_came_to_its_end_early_says_why_the_rest_is_missing() -> None:
    guests = {"00.pptx": "a.pptx", "01.pdf": "b.pdf"}
    done = line("00.pptx", pages=1)
    for status, reason in (
        (ExitStatus.TIMEOUT, Unrendered.TIMEOUT),
        (ExitStatus.OUT_OF_MEMORY, Unrendered.MEMORY),
        (ExitStatus.ERROR, Unrendered.BROKEN),
    ):
        assert read(ran(done, status=status), guests, "f").errors == {"b.pdf": reason}
    assert read(ran('{"unavailable": true}'), guests, "f").unavailable
    assert read(ran(), guests, "f").unavailable


def test_the_gate_hears_of_files_that_cannot_be_shown_of_empty_pages_and_of_formulas_that_fail() -> None:
    rendering = Rendering(
        errors={"a.pptx": Unrendered.BROKEN, "b.docx": Unrendered.TIMEOUT},
        blank={"c.pptx": (2,), "d.pdf": (1,)},
        formula_errors={"e.xlsx": ("Sums: all!B7: #DIV/0!",)},
    )
    assert [(f.check, f.code, f.file, f.place, f.blocking) for f in findings(rendering)] == [
        (1, "unreadable", "a.pptx", "", True),
        (1, "not_checked", "b.docx", "", False),
        (1, "empty", "c.pptx", "page 2", True),
        (1, "empty", "d.pdf", "page 1", False),
        (15, "formula_error", "e.xlsx", "Sums: all!B7", True),
    ]


@asynccontextmanager
async def a_run(folder: Path, sandbox: Sandbox) -> AsyncGenerator[RunContext]:
    async with (
        open_database(f"sqlite+aiosqlite:///{folder}/deckhand.db") as database,
        open_checkpointer(folder / "checkpoints.db", ()) as checkpointer,
        open_artifacts("memory://", database) as artifacts,
    ):
        runs = Runs(database)
        conversation = await Conversations(database).get_or_create("test", "here", "ru")
        run = await runs.create(conversation.id, "Make a deck", language="ru", inputs=[])
        place, budget = RunFolder(folder / "runs" / run.id), Budget(Limits())
        place.make()
        yield RunContext(
            run=run,
            folder=place,
            models=build_models(ModelSettings()),
            sandbox=sandbox,
            catalog=SkillCatalog(()),
            budget=budget,
            journal=Journal(run.id, place, runs=runs, events=Events(database), budget=budget),
            ledger=Ledger(database),
            artifacts=artifacts,
            checkpointer=checkpointer,
            rules=PolicyRules(),
        )


async def test_the_same_files_are_rendered_once_and_their_pictures_become_previews(tmp_path: Path) -> None:
    fake = FakeSandbox()
    told = line("00.pptx", pages=1, pictures=[1])
    fake.plan(MAIN, FakeRun(stdout=told, files={"00-01.png": PICTURE}))
    async with a_run(tmp_path, fake) as context:
        (context.folder.out / "deck.pptx").write_bytes(b"one")
        names = ["deck.pptx", "notes.md", "gone.pdf"]
        first = await render(context, names)
        assert [(preview.file, preview.page) for preview in first.previews] == [("deck.pptx", 1)]
        [session] = fake.sessions
        assert (session.workspace.policy, session.workspace.skills) == (RENDER_NAME, ())
        assert [item.name for item in session.workspace.inputs] == ["00.pptx"]
        assert session.runs[0][1][1:] == ("ru-RU", "00.pptx")
        assert await render(context, names) == first
        assert len(fake.sessions) == 1

        async with (
            open_database(f"sqlite+aiosqlite:///{tmp_path}/deckhand.db") as database,
            open_artifacts(str(tmp_path / "artifacts"), database) as artifacts,
        ):
            saved = await save_previews(context.id, context.folder, first, artifacts)
            [artifact] = await artifacts.of_run(context.id)
        assert [(event.name, event.preview, event.deliverable) for event in saved] == [
            ("deck.pptx-1.png", True, False)
        ]
        assert (artifact.kind, artifact.size) == (ArtifactKind.PREVIEW, len(PICTURE))

        (context.folder.out / "deck.pptx").write_bytes(b"another")
        await render(context, names)
        assert len(fake.sessions) == 2
        (context.folder.previews / first.previews[0].name).unlink()
        (context.folder.out / "deck.pptx").write_bytes(b"one")
        assert await render(context, names) == first
        assert len(fake.sessions) == 3


def test_what_renders_is_no_script_of_a_run(tmp_path: Path) -> None:
    for name in (*sources(), "01.py"):
        (tmp_path / name).write_text("")
    assert read_names(tmp_path) == ("01.py",)


async def test_pictures_are_waited_for_only_so_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.rendering.PATIENCE", 0.0)
    async with a_run(tmp_path, FakeSandbox()) as context:
        (context.folder.out / "deck.pptx").write_bytes(b"one")
        assert (await render(context, ["deck.pptx"])).unavailable == "no pictures within 0 s"


async def test_a_run_goes_on_where_nothing_can_be_rendered_and_tries_again(tmp_path: Path) -> None:
    class Without(FakeSandbox):
        def check(self) -> None:
            message = "there is no policy called 'render'"
            raise PolicyError(message)

    async with a_run(tmp_path, Without()) as context:
        (context.folder.out / "deck.pptx").write_bytes(b"one")
        assert "no policy" in (await render(context, ["deck.pptx"])).unavailable
        assert await render(context, ["notes.md"]) == Rendering()
    broken = FakeSandbox()
    broken.unavailable = "the engine is gone"
    async with a_run(tmp_path / "other", broken) as context:
        (context.folder.out / "deck.pptx").write_bytes(b"one")
        assert (await render(context, ["deck.pptx"])).unavailable == "the engine is gone"
        broken.unavailable = None
        broken.plan(MAIN, FakeRun(stdout=line("00.pptx", pages=1)))
        assert (await render(context, ["deck.pptx"])).pages == {"deck.pptx": 1}


def deck() -> bytes:
    presentation = Presentation()
    for title in ("One", "", "Три"):
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        if title:
            box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(5), Inches(1))
            box.text_frame.text = title
    return saved(presentation)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    first = book.active
    assert first is not None
    first.title = "Q'1: итог".replace(":", "")
    first.append(["Region", "Sum", "Share"])
    for row in range(2, 200):
        first.append([f"R{row}", row - 2, f"=1/B{row}"])
    second = book.create_sheet("Wide")
    second.append([f"column {number}" for number in range(300)])
    book.create_sheet("Hidden").append(["secret"])
    book["Hidden"].sheet_state = "hidden"
    book.create_sheet("Empty")
    return saved(book)


def letter(paragraphs: int) -> bytes:
    document = docx.Document()
    document.add_paragraph("Dear reader")
    content = saved(document)
    if paragraphs == 1:
        return content
    more = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(more, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            part = old.read(entry)
            if entry.filename == "word/document.xml":
                part = part.replace(
                    b"<w:p>", b"<w:p><w:r><w:t>on</w:t></w:r></w:p>" * paragraphs + b"<w:p>", 1
                )
            new.writestr(entry.filename, part)
    return more.getvalue()


def pdf() -> bytes:
    """Two pages, of which the second one is as long as a page may say it is."""
    pages = [Image.new("RGB", (300, 400), "white"), Image.new("RGB", (20, 14000), "navy")]
    for page in pages:
        page.paste("gold", (0, 100, 20, 120))
    content = io.BytesIO()
    pages[0].save(content, "PDF", save_all=True, append_images=pages[1:])
    return content.getvalue()


def saved(document: object) -> bytes:
    content = io.BytesIO()
    document.save(content)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]  # no types
    return content.getvalue()


@pytest.fixture
def rendering_policy(docker_policy: Policy) -> Policy:
    policy = load_rendering(docker_policy)
    return changed(policy, "container", image=image_of(policy, None))


@asynccontextmanager
async def renders(policy: Policy, default: Policy, install: str, root: Path) -> AsyncGenerator[DockerSandbox]:
    policies = {DEFAULT_NAME: default, RENDER_NAME: policy}
    async with DockerSandbox(policies, root=root, install=install) as sandbox:
        yield sandbox


@pytest.mark.docker
async def test_files_of_every_kind_become_pictures_and_a_broken_one_does_not_keep_the_others_from_it(
    tmp_path: Path, docker_policy: Policy, rendering_policy: Policy, docker_install: str
) -> None:
    contents = {
        "deck.pptx": deck(),
        "book.xlsx": workbook(),
        "broken.pptx": deck()[:9000],
        "letter.docx": letter(1),
        "two pages.PDF": pdf(),
        "no.pdf": b"%PDF-1.7\nnothing",
    }
    async with (
        renders(rendering_policy, docker_policy, docker_install, tmp_path) as sandbox,
        a_run(tmp_path, sandbox) as context,
    ):
        for name, content in contents.items():
            (context.folder.out / name).write_bytes(content)
        rendering = await render(context, [*contents])
        assert rendering.unavailable == ""
        assert rendering.pages == {"deck.pptx": 3, "book.xlsx": 2, "letter.docx": 1, "two pages.PDF": 2}
        assert rendering.errors == {"broken.pptx": Unrendered.BROKEN, "no.pdf": Unrendered.BROKEN}
        assert rendering.blank == {"deck.pptx": (2,)}
        assert rendering.formula_errors == {"book.xlsx": ("Q'1 итог!C2: #DIV/0!",)}
        pictures = {
            (preview.file, preview.page): size(context.folder.previews / preview.name)
            for preview in rendering.previews
        }
        assert pictures[("deck.pptx", 1)] == (1280, 960)
        assert len(pictures) == 8
        assert all(width <= 1600 and height <= 1600 for width, height in pictures.values())
        computed = openpyxl.load_workbook(
            context.folder.previews / rendering.recalculated["book.xlsx"], data_only=True
        )
        assert computed.worksheets[0]["C4"].value == 0.5


def size(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        return picture.size


@pytest.mark.docker
async def test_a_file_that_keeps_libreoffice_busy_for_ever_costs_its_time_and_no_more(
    tmp_path: Path, docker_policy: Policy, rendering_policy: Policy, docker_install: str
) -> None:
    endless = tmp_path / "endless.docx"
    endless.write_bytes(letter(300_000))
    workspace = Workspace(
        owner="endless-1",
        code=tmp_path / "code",
        out=tmp_path / "out",
        inputs=(InputFile(name="00.docx", source=endless),),
        policy=RENDER_NAME,
    )
    async with (
        renders(rendering_policy, docker_policy, docker_install, tmp_path) as sandbox,
        sandbox.lease(workspace) as session,
    ):
        for name, source in sources().items():
            assert await session.write(name, source) == ()
        result = await session.run(MAIN, arguments=["5", "en-US", "00.docx"])
        assert read(result, {"00.docx": "endless.docx"}, "f").errors == {"endless.docx": Unrendered.TIMEOUT}
        assert result.alerts == ()


@pytest.mark.docker
async def test_the_container_that_renders_keeps_every_promise_of_the_policy(
    tmp_path: Path, docker_policy: Policy, rendering_policy: Policy, docker_install: str
) -> None:
    async with renders(rendering_policy, docker_policy, docker_install, tmp_path) as sandbox:
        verdict = await prove(sandbox, rendering_policy, root=tmp_path, name=RENDER_NAME)
    assert verdict.reasons == ()
    assert not rendering_policy.exceptions
