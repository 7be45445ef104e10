"""The policy that results are made pictures under."""

from pathlib import Path

import pytest

from sandbox.errors import PolicyError
from sandbox.hardening import seccomp_profile
from sandbox.policy import DEFAULT_NAME, RENDER_NAME, Policy
from sandbox.policyfile import load_policies, parse_policy
from sandbox.rendering import load_rendering


def test_its_container_is_as_hard_as_the_default_ones_but_for_limits_and_programs() -> None:
    policy, default = load_rendering(Policy()), Policy()
    assert policy.exceptions == ()
    assert not policy.network.enabled
    assert seccomp_profile(policy) == seccomp_profile(default)
    container = policy.container.model_dump(exclude={"packages", "tmpfs"})
    assert container == default.container.model_dump(exclude={"packages", "tmpfs"})
    assert policy.commands.allow == (
        "python3",
        "pdfinfo",
        "pdftoppm",
        "/usr/lib/libreoffice/program/soffice.bin",
    )
    assert policy.pool.size == 0


def test_it_runs_where_and_as_whom_the_default_policy_does() -> None:
    default = parse_policy(
        "container: {runtime: runsc, user: 5000-5999, user_namespace: true, seccomp: /mine.json}\n"
        "network: {enabled: true}\nallow_degraded: []"
    )
    policy = load_rendering(default)
    assert (policy.container.runtime, policy.container.user) == ("runsc", "5000-5999")
    assert policy.container.user_namespace
    assert policy.allow_degraded == ()
    assert policy.exceptions == ()  # a file that somebody sent must not reach what a chat's scripts may


def test_an_operator_sets_its_limits_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "pictures.yaml"
    file.write_text("name: render\nresources: {memory: 3G, out: {files: 9}}\npool: {limit: 8}")
    ours, policy = load_rendering(Policy()), load_rendering(Policy(), tmp_path)
    assert (policy.resources.memory, policy.resources.out.files, policy.pool.limit) == (3 << 30, 9, 8)
    assert policy.resources.timeout == ours.resources.timeout
    assert (policy.container, policy.commands) == (ours.container, ours.commands)
    assert list(load_policies(folder=tmp_path)) == [DEFAULT_NAME]
    for text, key in (
        ("network: {enabled: true}", "network"),
        ("commands: {allow: []}", "commands"),
        ("container: {packages: {debian: [curl]}}", "container.packages"),
        ("container: {runtime: runsc}", "container.runtime"),
    ):
        file.write_text(f"name: render\n{text}")
        with pytest.raises(PolicyError, match=rf"pictures\.yaml: {key}: "):
            load_rendering(Policy(), tmp_path)
    file.write_text("name: render\nresources: {memory: 256M}")
    with pytest.raises(PolicyError, match=r"pictures\.yaml: .*is less than"):
        load_rendering(Policy(), tmp_path)


def test_no_policy_for_scripts_has_its_name(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"name: {RENDER_NAME}")
    with pytest.raises(PolicyError, match="is that of the policy for pictures of results"):
        load_policies(tmp_path / "mine.yaml")
