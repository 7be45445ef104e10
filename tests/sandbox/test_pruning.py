"""Which images `make image` removes, told by an engine that only notes what it is asked."""

import datetime
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOW = datetime.datetime.now(datetime.UTC)

DOCKER = """#!/usr/bin/env bash
# docker image ls | docker image inspect --format FORMAT ID | docker ps | docker tag | docker image rm
echo "$*" >>"$STUB/calls"
case "$1 $2" in
    "image ls") cat "$STUB/order" ;;
    "image inspect")
        case $4 in
            *deckhand.base*) echo sha256:base ;;
            *RepoTags*) cat "$STUB/$5.tags" ;;
            *Created*) cat "$STUB/$5.created" ;;
        esac ;;
    "ps -aq") cat "$STUB/${4#ancestor=}.containers" 2>/dev/null ;;
esac
exit 0
"""


@dataclass
class Engine:
    folder: Path

    def image(self, name: str, tags: str, *, days: float, container: bool = False) -> None:
        """Newest first, as the engine lists them."""
        with (self.folder / "order").open("a") as order:
            order.write(f"{name}\n")
        (self.folder / f"{name}.tags").write_text(f"{tags}\n")
        created = (NOW - datetime.timedelta(days=days)).isoformat().replace("+00:00", "Z")
        (self.folder / f"{name}.created").write_text(f"{created}\n")
        if container:
            (self.folder / f"{name}.containers").write_text("0123456789ab\n")

    def removed(self) -> list[str]:
        environment = os.environ | {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "STUB": str(self.folder),
        }
        command = ["bash", str(ROOT / "deploy/sandbox/image.sh")]
        subprocess.run(command, env=environment, capture_output=True, timeout=60, check=True)
        calls = (self.folder / "calls").read_text().splitlines()
        assert sum(call.startswith("tag ") and " deckhand-keep:tree-" in call for call in calls) == 1
        assert not any(" -f" in call or "--force" in call or "prune" in call for call in calls)
        return [call.removeprefix("image rm ") for call in calls if call.startswith("image rm ")]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    stub = tmp_path / "docker"
    stub.write_text(DOCKER)
    stub.chmod(0o755)
    return Engine(tmp_path)


def test_what_nothing_uses_goes_but_for_the_newest_two(engine: Engine) -> None:
    for place in range(5):
        engine.image(f"id{place}", f"deckhand-sandbox:{place}", days=2 + place)
    assert engine.removed() == ["deckhand-sandbox:2", "deckhand-sandbox:3", "deckhand-sandbox:4"]


def test_what_is_kept_for_someone_in_a_container_new_or_nameless_stays(engine: Engine) -> None:
    engine.image("new0", "deckhand-sandbox:n0", days=0.1)
    engine.image("new1", "deckhand-sandbox:n1", days=0.2)
    engine.image("new2", "deckhand-sandbox:n2", days=0.3)
    engine.image("kept", "deckhand-keep:tree-0123456789ab deckhand-sandbox:k", days=5)
    engine.image("derived", "deckhand-sandbox:a-b deckhand-keep:deckhand-1-default", days=6)
    engine.image("used", "deckhand-sandbox:u", days=7, container=True)
    engine.image("nameless", "", days=8)
    engine.image("old", "deckhand-sandbox:o deckhand-sandbox:o2", days=9)
    assert engine.removed() == ["deckhand-sandbox:o deckhand-sandbox:o2"]
