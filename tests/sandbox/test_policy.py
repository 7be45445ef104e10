"""The policy file: what is accepted, and how what is not is refused."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import PolicyError
from sandbox.policy import RUNTIME_SET, Policy
from sandbox.policyfile import DEFAULT, load_policies, load_policy, parse_policy


def test_the_shipped_file_says_what_the_code_defaults_to() -> None:
    assert load_policy() == Policy() == parse_policy("")


def test_the_shipped_file_names_every_key() -> None:
    document = yaml.safe_load(DEFAULT.read_text())
    assert _keys(Policy().model_dump(by_alias=True)) == _keys(document)


def _keys(part: Mapping[str, Any], above: str = "") -> set[str]:
    found = {f"{above}{key}" for key in part}
    return found.union(
        *(_keys(value, f"{above}{key}.") for key, value in part.items() if isinstance(value, Mapping))
    )


@pytest.mark.parametrize(
    ("text", "size"), [("2G", 2 << 30), ("1024M", 1 << 30), ("2097152K", 2 << 30), ("1073741824", 1 << 30)]
)
def test_sizes_are_bytes_or_have_a_unit(text: str, size: int) -> None:
    assert parse_policy(f"resources: {{memory: {text}}}").resources.memory == size


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("resources: {memory: 512m}", "resources.memory: '512m' is no size"),
        ("resources: {memory: 1.5G}", "resources.memory: '1.5G' is no size"),
        ("resources: {memory: -1}", "resources.memory: Input should be greater than"),
        ("resources: {memory: true}", "resources.memory: True is no size"),
        ("resources: {memory: 0x40000000G}", "resources.memory: '0x40000000G' is no size"),
        ("resources: {memory: 128M}", "128M is less than the 196M of out 32M + /tmp 16M + /dev/shm 4M"),
        (
            "resources: {memory: 256M, out: {size: 200M}}",
            "256M is less than the 384M of out 200M + /tmp 32M + /dev/shm 8M, which lie in memory, + 144M",
        ),
        ("resources: {cpu: .nan}", "resources.cpu: "),
        ("resources: {cpu: .inf}", "resources.cpu: "),
        ("resources: {cpu: '1 '}", "resources.cpu: '1 ' is no number"),
        ("resources: {cpu: 1e3}", "resources.cpu: '1e3' is no number"),
        ("resources: {cpu: yes}", "resources.cpu: True is no number"),
        ("resources: {cpu: 0}", "resources.cpu: "),
        ("resources: {pids: 1.0}", "resources.pids: "),
        ("resources: {timeout: 0}", "resources.timeout: "),
        ("resources: {timeout: 7200}", "session: 3600 s end before a script of 7200 + 5 s"),
        ("{{a}}: 1", "not valid YAML: a key is a plain word"),
        ("resources: {timeout: 60s}", "resources.timeout: '60s' is no number"),
        ("resources: {out: {size: 1M, path: /}}", "resources.out.path: there is no such key"),
        ("resources: {out: {files: 2001}}", "resources.out.files: "),
        ("resources: {stdout: {ceiling: 1}}", "resources.stdout.ceiling: "),
        ("version: 2", "version: Input should be 1"),
        ("name: ../x", "name: "),
        ("network: true", "network: "),
        ("network: {enabled: maybe}", "network.enabled: "),
        ("network: {mode: host}", "network.mode: there is no such key"),
        ("container: {user: 1000}", "container.user: "),
        ("container: {user: '1000'}", "user: 1000 has no group and would get root's"),
        ("container: {user: '1000:0'}", "user: ids lie between 1000"),
        ("container: {user: '0:0'}", "user: ids lie between 1000"),
        ("container: {user: '5000:6000'}", "user: 5000:6000 has two ids"),
        ("container: {user: 3000-2000}", "user: 3000-2000 ends before it begins"),
        ("container: {user: nobody}", "user: 'nobody' is neither a range"),
        ("container: {read_only: false}", "container.read_only: "),
        ("container: {tmpfs: {/etc: 1M}}", "container.tmpfs./etc: there is no such key"),
        ("container: {privileged: true}", "container.privileged: there is no such key"),
        ("container: {runtime: ../x}", "container.runtime: "),
        ("container: {packages: {python: [polars]}}", "container.packages.python.0: "),
        ("container: {packages: {python: ['x==1 --index-url=y']}}", "container.packages.python.0: "),
        ("container: {packages: {debian: ['a; b']}}", "container.packages.debian.0: "),
        ("container: {packages: {debian: [libpq5-]}}", "container.packages.debian.0: "),
        ("container: {packages: {debian: [libpq5=1.2-]}}", "container.packages.debian.0: "),
        ("container: {packages: {debian: ['libpq.*']}}", "container.packages.debian.0: "),
        ("container: {interpreters: [{suffix: .py, command: [/usr/bin/x]}]}", "suffix: .py is Python's"),
        ("container: {interpreters: [{suffix: .js, command: [node]}]}", "'node' is no path of a program"),
        ("container: {interpreters: [{suffix: .js, command: [/../x]}]}", "'/../x' is no path of a program"),
        ("commands: {allow: [], deny: [python3]}", "deny: python3 runs the scripts themselves"),
        ("commands: {allow: [node], deny: [node]}", "node is both allowed and denied"),
        ("commands: {deny: [/bin/sh]}", "commands.deny.0: "),
        ("commands: {allow: [bin/x]}", "commands.allow.0: "),
        ("commands: {allow: [/usr/../bin/x]}", "commands.allow.0: "),
        ("commands: {allow: [/x]}", "commands.allow.0: "),
        ("pool: {size: 20}", "pool: size: 20 is more than the limit of 16"),
        ("allow_degraded: [everything]", "'everything' is no degradation"),
        ("privileged: true", "privileged: there is no such key"),
        ("- a", "a policy is a mapping"),
        ("a: b: c", "not valid YAML"),
        ("pool: {}\npool: {}", "the key pool is there twice"),
        ("!!python/object/apply:os.system [id]", "not valid YAML"),
        ("a: &x [1]\nb: *x", "aliases are not allowed"),
        ("cpu: \x00", "not valid YAML"),
        ("[" * 3000, "not valid YAML"),
    ],
)  # fmt: skip
def test_84_what_is_unsafe_or_malformed_is_refused_with_the_key_and_the_reason(
    text: str, reason: str
) -> None:
    with pytest.raises(PolicyError) as caught:
        parse_policy(text, "policy.yaml")
    assert reason in str(caught.value)
    assert str(caught.value).startswith("policy.yaml: ")


def test_a_missing_or_huge_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="No such file"):
        load_policy(tmp_path / "none.yaml")
    (tmp_path / "huge.yaml").write_text("#" * 70_000)
    with pytest.raises(PolicyError, match="larger than 64 KiB"):
        load_policy(tmp_path / "huge.yaml")


@given(st.text() | st.binary())
def test_84_no_text_does_anything_but_make_a_policy_or_an_error(content: str | bytes) -> None:
    try:
        policy = parse_policy(content)
    except PolicyError:
        return
    assert policy.resources.memory >= policy.out.size + policy.tmp + policy.shm + RUNTIME_SET


def test_a_small_memory_shrinks_what_lies_in_it_so_that_256m_is_enough() -> None:
    policy = parse_policy("resources: {cpu: '0.5', memory: 256M}")
    assert (policy.out.size, policy.tmp, policy.shm) == (64 << 20, 32 << 20, 8 << 20)
    assert policy.resources.cpu == 0.5


def test_policies_go_by_the_names_in_their_files(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("name: big\nresources: {memory: 4G}")
    policies = load_policies(folder=tmp_path)
    assert list(policies) == ["default", "big"]
    assert policies["big"].resources.memory == 4 << 30
    (tmp_path / "b.yaml").write_text("name: big")
    with pytest.raises(PolicyError, match="another policy called big"):
        load_policies(folder=tmp_path)
    (tmp_path / "b.yaml").write_text("pids: 3")
    with pytest.raises(PolicyError, match=r"b\.yaml: pids: there is no such key"):
        load_policies(folder=tmp_path)
