"""Each attack of the table ends in its right result, tells the operator, and changes nothing on the host."""

import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sandbox.docker import DockerSandbox
from sandbox.errors import NoSuchFile
from sandbox.session import RunResult, SandboxSession, Workspace
from tests.attacks.attack import HELPER, PAYLOADS, Attack
from tests.attacks.invariants import Host, as_good_as_new, only_plain_files
from tests.attacks.table import ATTACKS
from tests.conftest import fresh_workspace

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="session")]

_WIPE = """
import os, shutil
for name in os.listdir('.'):
    shutil.rmtree(name) if os.path.isdir(name) and not os.path.islink(name) else os.unlink(name)
"""


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
async def test_attack(
    attack: Attack,
    docker_sandbox: DockerSandbox,
    docker_session: SandboxSession,
    docker_workspace: Workspace,
    host: Host,
    tmp_path: Path,
) -> None:
    async with _placed(attack, docker_sandbox, docker_session, docker_workspace, tmp_path) as (
        session,
        workspace,
    ):
        async with host.unchanged(workspace):
            result = await _run(attack, session, host)
            only_plain_files(workspace)
            _check(attack, result)
            for skip in result.skipped:
                if skip.reason != "not a regular file":
                    continue
                with pytest.raises(NoSuchFile):
                    await session.excerpt(f"out/{skip.path}")
        await as_good_as_new(session)
        await session.write("wipe.py", _WIPE)
        assert (await session.run("wipe.py")).succeeded
        assert not [path for path in workspace.out.rglob("*") if path.is_file()]


@asynccontextmanager
async def _placed(
    attack: Attack, sandbox: DockerSandbox, session: SandboxSession, workspace: Workspace, base: Path
) -> AsyncGenerator[tuple[SandboxSession, Workspace]]:
    if not (attack.fresh or attack.alerts):
        yield session, workspace
        return
    own = fresh_workspace(base, f"attack-{secrets.token_hex(4)}")
    async with sandbox.lease(own) as fresh:
        yield fresh, own


async def _run(attack: Attack, session: SandboxSession, host: Host) -> RunResult:
    await session.write(HELPER, (PAYLOADS / HELPER).read_text(encoding="utf-8"))
    findings = await session.write("attack.py", attack.source)
    assert not [finding for finding in findings if finding.fatal], findings
    return await session.run(
        "attack.py", arguments=[attack.variant, str(host.canary)], time_limit=attack.seconds
    )


def _check(attack: Attack, result: RunResult) -> None:
    assert result.status is attack.status, result
    assert result.exit_code in attack.exit_codes, result
    if attack.facts:
        assert json.loads(result.stdout.splitlines()[-1]) == dict(attack.facts)
    if attack.stdout is not None:
        assert result.stdout == attack.stdout
    assert attack.stderr in result.stderr
    if attack.files is not None:
        assert tuple(file.path for file in result.files) == attack.files
    if attack.skipped is not None:
        assert {skip.path: skip.reason for skip in result.skipped} == dict(attack.skipped)
    assert all(skip.path.isprintable() for skip in result.skipped)
    assert {alert.code for alert in result.alerts} == attack.alerts, result.alerts
