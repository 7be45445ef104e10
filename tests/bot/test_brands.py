"""A template is looked at in a sandbox, and only one that cannot harm anybody is kept."""

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pptx
import pytest

from agent.brands import verdict
from bot.brands import SandboxExaminer
from bot.errors import Refused
from bot.inputs import Past, newest_files, own, with_brand
from bot.settings import Settings
from bot.stores import Store, open_store
from sandbox.docker import DockerSandbox
from sandbox.session import ExitStatus, RunResult
from storage.artifacts import put_bytes
from storage.records import ArtifactId, ArtifactKind, Brand, InputRef, Run
from tests.agent.local_sandbox import LocalSandbox
from tests.bot.test_tablemaker import a_run
from tests.fakes import FakeSandbox

RELATION = (
    b'<Relationship Id="rIdX" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s"'
    b' Target="https://evil.example/x" TargetMode="External"/></Relationships>'
)
MASTER = "ppt/slideMasters/_rels/slideMaster1.xml.rels"


def template() -> bytes:
    content = io.BytesIO()
    pptx.Presentation().save(content)
    return content.getvalue()


def with_part(name: str, content: bytes = b"x") -> bytes:
    """A template with one more part."""
    made = io.BytesIO(template())
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr(name, content)
    return made.getvalue()


def reaching_out(kind: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(template())) as old, zipfile.ZipFile(made, "w") as new:
        for part in old.infolist():
            content = old.read(part)
            if part.filename == MASTER:
                content = content.replace(b"</Relationships>", RELATION % kind)
            new.writestr(part, content)
    return made.getvalue()


def without_layouts() -> bytes:
    deck = pptx.Presentation()
    for layout in list(deck.slide_layouts):
        deck.slide_layouts.remove(layout)
    content = io.BytesIO()
    deck.save(content)
    return content.getvalue()


async def examined(settings: Settings, content: bytes, tmp_path: Path) -> int:
    async with open_store(settings) as store:
        kept = await keep(store, content)
        examiner = SandboxExaminer(
            LocalSandbox(tmp_path / kept.artifact_id), store.artifacts, settings.data / "brand"
        )
        try:
            return await examiner.examine(kept)
        finally:
            assert not list((settings.data / "brand").iterdir())
            await examiner.clear()
            assert not (settings.data / "brand").exists()


async def keep(store: Store, content: bytes) -> InputRef:
    kept = await put_bytes(store.artifacts, content, name="our.pptx", kind=ArtifactKind.BRAND)
    return InputRef(name="our.pptx", original="our.pptx", artifact_id=kept.id, size=kept.size)


async def test_a_template_is_known_by_its_layouts_and_a_link_to_click_is_no_harm(
    settings: Settings, tmp_path: Path
) -> None:
    assert await examined(settings, template(), tmp_path) == 11
    assert await examined(settings, reaching_out(b"hyperlink"), tmp_path) == 11


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: b"%PDF-1.7 no deck at all", "brand-unreadable"),
        (lambda: b"PK\x03\x04 and then nothing", "brand-unreadable"),
        (lambda: with_part("ppt/vbaProject.bin"), "brand-active"),
        (lambda: with_part("ppt/embeddings/oleObject1.bin"), "brand-active"),
        (lambda: reaching_out(b"control"), "brand-active"),
        (lambda: reaching_out(b"image"), "brand-outside"),
        (without_layouts, "brand-layouts"),
    ],
    ids=["pdf", "cut", "macros", "object", "control by another name", "linked picture", "no layouts"],
)
async def test_91_what_is_no_template_or_would_act_or_reach_out_is_refused(
    settings: Settings, tmp_path: Path, make: Callable[[], bytes], key: str
) -> None:
    with pytest.raises(Refused) as refused:
        await examined(settings, make(), tmp_path)
    assert (refused.value.key, refused.value.facts["name"]) == (key, "our.pptx")


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="session")
async def test_the_sandbox_itself_knows_a_template_from_what_is_none(
    docker_sandbox: DockerSandbox, settings: Settings
) -> None:
    async with open_store(settings) as store:
        examiner = SandboxExaminer(docker_sandbox, store.artifacts, settings.data / "brand")
        assert await examiner.examine(await keep(store, template())) == 11
        with pytest.raises(Refused) as refused:
            await examiner.examine(await keep(store, reaching_out(b"image")))
    assert refused.value.key == "brand-outside"


async def test_where_nobody_can_look_nothing_is_taken(settings: Settings) -> None:
    async with open_store(settings) as store:
        sandbox = FakeSandbox()
        sandbox.unavailable = "no engine"
        examiner = SandboxExaminer(sandbox, store.artifacts, settings.data / "brand")
        with pytest.raises(Refused) as refused:
            await examiner.examine(await keep(store, template()))
    assert refused.value.key == "brand-unchecked"


@pytest.mark.parametrize(
    "stdout",
    ["", "11", "[]", '{"layouts": 0}', '{"layouts": 1e9}', '{"problem": "none"}', "[" * 9999, "x\n{}"],
)
def test_whatever_a_script_prints_is_a_number_of_layouts_or_a_refusal(stdout: str) -> None:
    result = RunResult(status=ExitStatus.OK, exit_code=0, stdout=stdout, stderr="")
    assert verdict(result) == "unreadable"
    said = '{"layouts": 7}'
    assert verdict(RunResult(status=ExitStatus.OK, exit_code=0, stdout=said, stderr="")) == 7
    assert verdict(RunResult(status=ExitStatus.TIMEOUT, exit_code=1, stdout=said, stderr="")) == "unreadable"


BRAND = Brand(artifact_id=ArtifactId("a9"), original="Our look.pptx", size=5, layouts=11, sender="ann")


def an_input(name: str) -> InputRef:
    return InputRef(name=name, original=name, artifact_id=ArtifactId(f"a-{name}"), size=1)


def test_the_template_alone_has_its_name_and_counts_as_no_file() -> None:
    inputs = with_brand([an_input("data.csv"), an_input("Brand.pptx")], BRAND)
    assert [item.name for item in inputs][::2] == ["data.csv", "brand.pptx"]
    assert inputs[1].name.casefold() != "brand.pptx"
    assert [item.brand for item in inputs] == [False, False, True]
    assert with_brand([an_input("brand.pptx")], None) == (an_input("brand.pptx"),)
    past = Past(asked(inputs[2:]))
    assert newest_files([Past(asked(inputs))]) == inputs[:2]
    others = [past, Past(asked(inputs[:1], sender="ben"))]
    assert own(others, "ann", sent=False, meant=None) == others  # who has sent nothing means what is there


def asked(inputs: tuple[InputRef, ...], sender: str = "ann") -> Run:
    return replace(a_run(), inputs=inputs, sender=sender)
