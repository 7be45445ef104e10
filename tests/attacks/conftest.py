"""Fixtures of the attacks: the host as it has to stay."""

from pathlib import Path

import pytest

from tests.attacks.invariants import Host


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory, docker_root: Path, shared_install: str) -> Host:
    return Host.below(tmp_path_factory.mktemp("host"), docker_root, shared_install)
