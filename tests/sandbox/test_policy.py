"""The policy file: what is accepted, and how what is not is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import PolicyError
from sandbox.policy import DEFAULT, Policy, load_policy, parse_policy


def test_the_shipped_file_says_what_the_code_defaults_to() -> None:
    assert load_policy() == Policy() == parse_policy("")
    assert set(Policy.model_fields) == {
        line.split(":")[0] for line in DEFAULT.read_text().splitlines() if line[0].isalpha()
    }


@pytest.mark.parametrize(
    ("text", "size"), [("2G", 2 << 30), ("1024M", 1 << 30), ("2097152K", 2 << 30), ("1073741824", 1 << 30)]
)
def test_sizes_are_bytes_or_have_a_unit(text: str, size: int) -> None:
    assert parse_policy(f"memory: {text}").memory == size


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("memory: 512m", "memory: '512m' is no size"),
        ("memory: 1.5G", "memory: '1.5G' is no size"),
        ("memory: -1", "memory: Input should be greater than"),
        ("memory: true", "memory: True is no size"),
        ("memory: 0x40000000G", "memory: '0x40000000G' is no size"),
        ("memory: 512M", "memory: 512M is less than the 928M of out 256M + tmp 128M + shm 32M"),
        ("cpus: .nan", "cpus: "),
        ("cpus: .inf", "cpus: "),
        ("cpus: '1'", "cpus: "),
        ("cpus: 0", "cpus: "),
        ("pids: 1.0", "pids: "),
        ("time_limit: 0", "time_limit: "),
        ("network: true", "network: there is no such key"),
        ("out: {size: 1M, path: /}", "out.path: there is no such key"),
        ("out: {files: 2001}", "out.files: "),
        ("uids: {first: 30, last: 40}", "uids.first: "),
        ("uids: {first: 3000, last: 2000}", "uids: last is below first"),
        ("stdout: {ceiling: 1}", "stdout.ceiling: "),
        ("privileged: true", "privileged: there is no such key"),
        ("- a", "a policy is a mapping"),
        ("a: b: c", "not valid YAML"),
        ("cpus: 1\ncpus: 2", "the key cpus is there twice"),
        ("!!python/object/apply:os.system [id]", "not valid YAML"),
        ("a: &x [1]\nb: *x", "aliases are not allowed"),
        ("cpus: \x00", "not valid YAML"),
        ("[" * 3000, "not valid YAML"),
    ],
)  # fmt: skip
def test_what_is_unsafe_or_malformed_is_refused_with_the_key_and_the_reason(text: str, reason: str) -> None:
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
def test_no_text_does_anything_but_make_a_policy_or_an_error(content: str | bytes) -> None:
    try:
        policy = parse_policy(content)
    except PolicyError:
        return
    assert policy.memory >= policy.out.size + policy.tmp + policy.shm
