import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from agent.events import ResultsVerified
from agent.rendering import Preview
from agent.reviewer import NAME, QUESTIONS, Verdicts, findings
from storage.records import RunStatus
from tests.agent.line import open_line
from tests.agent.results import LEDGER, catalog, checked, fact, played
from tests.agent.test_runner import _deck as deck
from tests.agent.test_runner import models_at
from tests.endpoint import Body, completion, in_turn, serve
from tests.fakes import FakeRun, FakeSandbox

PNG = b"\x89PNG\r\n\x1a\n"
YES: dict[str, Any] = {"picture": 1, **dict.fromkeys(QUESTIONS, True)}
NO = YES | {"picture": 2, "charts_are_readable": False, "reason": "The axis has no labels."}
PICTURES = [Preview(file="deck.pptx", page=page, name=f"x/00-0{page}.png") for page in (1, 3)]


def verdict(*said: object) -> Any:
    return completion(calls=[(NAME, {"verdicts": list(said)})])


def sandbox() -> FakeSandbox:
    fake = FakeSandbox(otherwise=lambda _: FakeRun(files={"deck.pptx": deck(), LEDGER: fact()}))
    fake.plan("check_results.py", checked())
    told = {
        "pages": 2, "pictures": [1, 2], "blank": [], "error": "", "formula_errors": [], "recalculated": False
    }  # fmt: skip
    line = json.dumps({"00.pptx": told})
    fake.plan("render_files.py", FakeRun(stdout=line, files={"00-01.png": PNG, "00-02.png": PNG}))
    return fake


async def reviewed(folder: Path, *answers: Any, sees: bool = True) -> tuple[list[Any], list[Body]]:
    """The findings of check 16 that are told, and what the endpoint was asked."""
    async with serve(in_turn(*answers)) as endpoint:
        models = models_at(endpoint, sees_images=sees)
        async with open_line(folder, models, sandbox(), catalog=catalog(folder)) as line:
            run = await line.run(await line.ask("Deck?"))
    assert run.status is RunStatus.FINISHED
    (event,) = (event for event in line.seen if isinstance(event, ResultsVerified))
    return [item for item in event.verification.findings if item.check == 16], endpoint.seen


def test_each_no_about_a_picture_that_there_is_becomes_a_finding() -> None:
    said = Verdicts.model_validate({"verdicts": [YES, NO, NO | {"picture": 9}]})
    (found,) = findings(PICTURES, said)
    assert (found.check, found.code, found.file, found.place, found.blocking) == (
        16,
        "review_charts_are_readable",
        "deck.pptx",
        "slide 3",
        True,
    )
    assert found.detail.endswith("No. The axis has no labels.")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"verdicts": []},
        {"verdicts": [{"picture": 1}]},
        {"verdicts": [YES | {"picture": 0}]},
        {"verdicts": [YES | {"nothing_overlaps": "yes"}]},
        {"verdicts": [YES | {"mood": "good"}]},
    ],
)
def test_a_verdict_is_taken_strictly(said: object) -> None:
    with pytest.raises(ValidationError):
        Verdicts.model_validate(said)


async def test_a_fresh_context_looks_at_the_slides_and_its_no_goes_back_to_their_author(
    tmp_path: Path,
) -> None:
    first, second, third, *rest = played()
    mended = completion("done\nmended")
    found, seen = await reviewed(tmp_path, first, second, third, verdict(YES, NO), mended, *rest)
    assert [item.code for item in found] == ["review_charts_are_readable"], (
        "asked once about the same pictures"
    )
    asked = seen[3]["messages"]
    assert len(asked) == 2, "a clean context"
    images = [part for part in asked[1]["content"] if part["type"] == "image_url"]
    assert [image["image_url"]["url"][:22] for image in images] == ["data:image/png;base64,"] * 2
    assert "Deck?" not in json.dumps(asked)
    assert "review_charts_are_readable" in json.dumps(seen[4]["messages"])


async def test_a_reviewer_that_gives_no_usable_verdict_says_nothing(tmp_path: Path) -> None:
    first, second, third, *rest = played()
    found, _ = await reviewed(tmp_path, first, second, third, completion("Nice!"), verdict({}), *rest)
    assert found == []


async def test_a_model_that_sees_no_images_is_shown_none(tmp_path: Path) -> None:
    found, seen = await reviewed(tmp_path, *played(), sees=False)
    assert (found, len(seen)) == ([], 4)
    assert "image_url" not in json.dumps(seen)
