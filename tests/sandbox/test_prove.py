"""From a lease to a verdict, and the verdict that is kept: with a fake sandbox, and in Docker."""

import json
import shutil
import subprocess
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from sandbox.degradation import Degradation
from sandbox.docker import DockerSandbox
from sandbox.errors import Degraded, NoSuchFile, OtherFolder, PolicyError, SandboxUnavailable
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.policyfile import parse_policy
from sandbox.probe.compare import compare
from sandbox.probe.facts import read_facts
from sandbox.probe.host import HostFacts
from sandbox.probe.proof import Standing
from sandbox.probe.prove import assure, prove
from sandbox.probe.report import as_json, as_markdown
from sandbox.probe.verdict import Verdict, code_digest, key, recall
from sandbox.session import Excerpt, ExitStatus, RunResult, SandboxStats, Workspace
from tests.conftest import changed
from tests.sandbox.test_probe import HOST, POLICY, good

IMAGE = "sha256:1"
ROOT = Path(__file__).parents[2]


@dataclass
class FakeProbing:
    """A sandbox in which the probe's script writes `content`, and a session of it; it counts its leases."""

    content: str = field(default_factory=lambda: json.dumps(good()))
    status: ExitStatus = ExitStatus.OK
    sees: Callable[[Workspace], str] = lambda workspace: workspace.inputs[0].source.read_text()
    leases: list[Workspace] = field(default_factory=list[Workspace])

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator["FakeProbing"]:
        self.leases.append(workspace)
        yield self

    def stats(self) -> SandboxStats:
        return SandboxStats()

    async def excerpt(self, path: str, **_: int) -> Excerpt:
        text = self.sees(self.leases[-1])
        return Excerpt(path=path, size=32, encoding="utf-8", first_line=1, total_lines=1, text=text)

    async def run(
        self, name: str, *, arguments: Sequence[str] = (), time_limit: float | None = None
    ) -> RunResult:
        assert (self.leases[-1].code / name).exists()
        self.leases[-1].out.mkdir()
        if self.content:
            (self.leases[-1].out / "facts.json").write_text(self.content)
        return RunResult(status=self.status, exit_code=0, stdout="", stderr="x\nOSError: no\n")


def told(change: Callable[[dict[str, Any]], object]) -> FakeProbing:
    seen = good()
    change(seen)
    return FakeProbing(json.dumps(seen))


async def known(policy: Policy) -> tuple[str, HostFacts]:
    return IMAGE, HOST


def left(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


async def proved(sandbox: Any, root: Path, policy: Policy = POLICY) -> Verdict:
    return await prove(sandbox, policy, root=root, ask=known)


async def assured(sandbox: Any, root: Path, policy: Policy = POLICY) -> None:
    await assure(sandbox, {DEFAULT_NAME: policy}, root=root, ask=known)


async def test_a_proof_leaves_nothing_but_its_verdict(tmp_path: Path) -> None:
    verdict = await proved(FakeProbing(), tmp_path)
    assert verdict.reasons == ()
    assert len(verdict.with_standing(Standing.HOLDS)) == len(verdict.proofs)
    assert left(tmp_path) == ["leases", "probe.json"]
    assert left(tmp_path / "leases") == []


async def test_a_folder_that_the_engine_sees_differently_is_told_plainly(tmp_path: Path) -> None:
    def nothing(workspace: Workspace) -> str:
        raise NoSuchFile(workspace.inputs[0].name)

    for sees in (nothing, lambda workspace: "another number"):
        with pytest.raises(OtherFolder, match=f"-v {tmp_path}:{tmp_path}"):
            await proved(FakeProbing(sees=sees), tmp_path)
    assert left(tmp_path / "leases") == []


@pytest.mark.parametrize(
    ("sandbox", "words"),
    [
        (FakeProbing(status=ExitStatus.ERROR), "OSError: no"),
        (FakeProbing(content=""), "left no answer"),
        (FakeProbing(content="{}"), "malformed"),
    ],
)
async def test_a_probe_that_fails_proves_nothing(sandbox: FakeProbing, words: str, tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match=words):
        await proved(sandbox, tmp_path)
    assert left(tmp_path / "leases") == []


async def test_a_runtime_that_the_engine_does_not_know_is_refused_before_a_lease(tmp_path: Path) -> None:
    sandbox = FakeProbing()
    with pytest.raises(PolicyError, match=r"container\.runtime: the engine has no runtime runsc"):
        await proved(sandbox, tmp_path, parse_policy("container: {runtime: runsc}"))
    assert sandbox.leases == []


async def test_what_was_proved_is_not_proved_at_the_next_start(tmp_path: Path) -> None:
    sandbox = FakeProbing()
    await assured(sandbox, tmp_path)
    await assured(sandbox, tmp_path)
    assert len(sandbox.leases) == 1
    await assured(sandbox, tmp_path, parse_policy("resources: {timeout: 30}"))
    assert len(sandbox.leases) == 2


async def test_an_unlisted_degradation_is_refused_with_code_reason_and_remedy(tmp_path: Path) -> None:
    def unlimited(seen: dict[str, Any]) -> None:
        seen["cgroup"]["swap"] = "max"

    with pytest.raises(Degraded) as refused:
        await assured(told(unlimited), tmp_path)
    [reason] = refused.value.reasons
    assert reason.startswith("swap: expected none beside the memory, found swap max. Boot with")


async def test_a_refusal_is_proved_anew_so_that_a_mended_host_starts(tmp_path: Path) -> None:
    with pytest.raises(Degraded):
        await assured(told(lambda seen: seen["interfaces"].append("eth0")), tmp_path)
    await assured(FakeProbing(), tmp_path)


async def test_a_listed_degradation_starts(tmp_path: Path) -> None:
    sandbox = told(lambda seen: seen.update(landlock=0, confined=False))
    await assured(sandbox, tmp_path)
    with pytest.raises(Degraded, match="landlock"):
        await assured(sandbox, tmp_path, parse_policy("allow_degraded: []"))


async def test_every_start_names_in_the_log_what_is_weaker_than_usual(tmp_path: Path) -> None:
    sandbox = told(lambda seen: seen.update(landlock=0))
    for _ in range(2):
        with capture_logs() as lines:
            await assured(sandbox, tmp_path, parse_policy("network: {enabled: true}"))
        assert [(line["event"], line.get("key") or line["code"]) for line in lines] == [
            ("sandbox.exception", "network.enabled"),
            ("sandbox.degraded", Degradation.LANDLOCK),
        ]
        assert {line["log_level"] for line in lines} == {"warning"}


async def test_each_policy_has_a_verdict_of_its_own(tmp_path: Path) -> None:
    sandbox: Any = FakeProbing()
    policies = {DEFAULT_NAME: POLICY, "small": parse_policy("{name: small, resources: {timeout: 5}}")}
    for _ in range(2):
        await assure(sandbox, policies, root=tmp_path, ask=known)
    assert [workspace.policy for workspace in sandbox.leases] == [DEFAULT_NAME, "small"]


async def test_a_proof_on_demand_replaces_the_kept_verdict(tmp_path: Path) -> None:
    await assured(FakeProbing(), tmp_path)
    await proved(told(lambda seen: seen.update(hostname="db-7")), tmp_path)
    with pytest.raises(Degraded):
        await assured(told(lambda seen: seen.update(hostname="db-7")), tmp_path)


def test_the_key_changes_with_all_that_a_verdict_depends_on(tmp_path: Path) -> None:
    profile = tmp_path / "mine.json"
    own = parse_policy(f"container: {{seccomp: {profile}}}")
    keys: list[str] = []
    for action in ("SCMP_ACT_ERRNO", "SCMP_ACT_KILL"):
        profile.write_text(json.dumps({"defaultAction": action}))
        keys.append(key(own, IMAGE, HOST, "boot"))
    keys += [
        key(POLICY, IMAGE, HOST, "boot"),
        key(parse_policy("resources: {pids: 64}"), IMAGE, HOST, "boot"),
        key(POLICY, "sha256:2", HOST, "boot"),
        key(POLICY, IMAGE, HOST, "another"),
        *(
            key(POLICY, IMAGE, replace(HOST, **{name: "x"}), "boot")
            for name in ("engine_id", "engine", "kernel", "runc")
        ),
        key(POLICY, IMAGE, replace(HOST, security=("seccomp",)), "boot"),
    ]
    assert len(set(keys)) == len(keys)
    assert key(POLICY, IMAGE, HOST, "boot") in keys


@pytest.mark.parametrize("module", ["hardening.py", "guest/child.py", "probe/compare.py"])
def test_other_code_is_proved_anew(module: str, tmp_path: Path) -> None:
    copy = shutil.copytree(ROOT / "sandbox", tmp_path / "sandbox")
    assert code_digest(copy) == code_digest()
    with (copy / module).open("a") as file:
        file.write("\n")
    assert code_digest(copy) != code_digest()


@pytest.mark.parametrize("content", ["", "[]", "null", '{"default": 1}', '{"default": {"key": "k"}}', "\xff"])
async def test_a_kept_verdict_that_cannot_be_read_is_made_anew(content: str, tmp_path: Path) -> None:
    (tmp_path / "probe.json").write_bytes(content.encode("latin-1"))
    assert recall(tmp_path, DEFAULT_NAME, "k") is None
    sandbox = FakeProbing()
    await assured(sandbox, tmp_path)
    await assured(sandbox, tmp_path)
    assert len(sandbox.leases) == 1


async def test_a_report_tells_everything_and_shows_hostile_words_as_text(tmp_path: Path) -> None:
    verdict = await proved(told(lambda seen: seen.update(hostname="a|b [x](http://evil)")), tmp_path)
    markdown = as_markdown(verdict, "1.2.3")
    assert "a\\|b \\[x\\](http://evil)" in markdown
    assert "broken: network" in markdown
    report = json.loads(as_json(verdict, "1.2.3"))
    assert report["deckhand"] == "1.2.3"
    assert report["summary"]["broken"] == 1
    [broken] = [check for check in report["checks"] if check["verdict"] == "broken"]
    assert (broken["promise"], broken["threat"], broken["found"]) == ("network", 17, "a|b [x](http://evil)")
    assert len(report["checks"]) == len(verdict.proofs)
    assert report["policy"]["resources"]["memory"] == POLICY.resources.memory


@pytest.mark.docker
@pytest.mark.asyncio(loop_scope="session")
async def test_this_host_keeps_every_promise(
    docker_sandbox: DockerSandbox, docker_root: Path, docker_policy: Policy
) -> None:
    verdict = await prove(docker_sandbox, docker_policy, root=docker_root)
    assert verdict.reasons == ()
    assert verdict.with_standing(Standing.ACCEPTED) == ()
    warnings = {proof.check for proof in verdict.with_standing(Standing.LOOK)}
    assert warnings <= {"runc", "engine", "apparmor", "core pattern"}


@pytest.mark.docker
async def test_a_container_weaker_than_its_policy_is_found_out(
    docker_policy: Policy, docker_install: str, tmp_path: Path
) -> None:
    """The sandbox has another policy than the one that is proved: with a network, more memory and more
    processes, and a profile that lets everything through."""
    profile = tmp_path / "open.json"
    profile.write_text('{"defaultAction": "SCMP_ACT_ALLOW"}')
    weaker = changed(docker_policy, "container", seccomp=str(profile))
    weaker = changed(weaker, "resources", memory=2 << 30, pids=256, cpu=2.0)
    weaker = changed(weaker, "network", enabled=True)
    async with DockerSandbox({"default": weaker}, root=tmp_path / "data", install=docker_install) as sandbox:
        verdict = await prove(sandbox, docker_policy, root=tmp_path / "data")
    codes = {proof.breaks for proof in verdict.with_standing(Standing.BROKEN)}
    assert codes == {
        Degradation.SYSCALLS,
        Degradation.MEMORY,
        Degradation.SWAP,
        Degradation.PIDS,
        Degradation.CPU,
        Degradation.FILES,
        Degradation.NETWORK,
    }
    [calls] = [proof for proof in verdict.proofs if proof.check == "system calls"]
    assert "io_uring_setup" in calls.found
    assert "unshare" in calls.found


_LOOK = """
import json, sys
script = {"__name__": "probe"}
exec(sys.stdin.read(), script)
options = {"seconds": 0.0, "masked": ["/proc/meminfo"], "folders": [], "denied": [], "allowed": []}
print(json.dumps(script["look"](options)))
"""


@pytest.mark.docker
def test_a_plain_container_breaks_nearly_every_promise(docker_policy: Policy) -> None:
    """Not even the user is right here, and one capability stays in the bounding set."""
    script = (ROOT / "sandbox/probe/guest.py").read_text()
    run = ["docker", "run", "--rm", "-i", "--user", "1000:0", "--cap-drop", "ALL", "--cap-add", "NET_RAW"]
    answer = subprocess.run(
        [*run, "-v", "/usr/share:/srv/share", str(docker_policy.container.image), "python3", "-c", _LOOK],
        input=script,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    proofs = compare(docker_policy, read_facts(answer.stdout.encode()), HOST)
    failed = {proof.check: proof.breaks for proof in proofs if not proof.holds}
    assert {*failed.values()} - {None} == {*Degradation} - {Degradation.PROGRAMS, Degradation.USER_NAMESPACE}
    assert {"user", "capabilities", "no new privileges", "mounts", "masked paths", "sockets"} <= {*failed}
    assert "seccomp" not in failed  # the engine has a profile of its own, which lets too much through
