"""The bundle: all that it takes to repeat a run on another machine, but for the input files."""

import asyncio
import io
import json
import stat
import zipfile
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path

import yaml

from agent import factbook, scripts
from agent.scripts import Scripts
from sandbox.hardening import SHM_FILES, TMP_FILES, environment, seccomp_profile
from sandbox.images import image_tag
from sandbox.names import clean_text
from sandbox.policy import DEFAULT_NAME, Policy
from skills.catalog import SkillCatalog
from storage.artifacts import ArtifactStore
from storage.records import RunId

ROOT = Path(__file__).parents[1]
IMAGE_FILES = (
    "deploy/sandbox/**/*",
    "deploy/*.sh",
    "sandbox/__init__.py",
    "sandbox/images.py",
    "sandbox/guest/**/*",
)
"""Of the source tree: what deploy/sandbox/image.sh builds the image from, and names it by."""
_TIME = (2026, 1, 1, 0, 0, 0)
"""Of every file in it, so that the same run makes the same bundle."""


async def bundle(
    artifacts: ArtifactStore,
    run_id: RunId,
    *,
    policies: Mapping[str, Policy],
    catalog: SkillCatalog,
) -> bytes | None:
    """A zip; None when the run left no scripts. `policies` by name, each with its image; the scripts of a
    policy that is unknown here run under the default one.

    Raises: StorageError; PolicyError: a policy's profile cannot be read.
    """
    written = await scripts.of_run(artifacts, run_id)
    if written is None or not written.todos:
        return None
    facts = await factbook.record(artifacts, run_id, factbook.NAME) or b"[]"
    return await asyncio.to_thread(lambda: _zip(f"run-{run_id}", contents(written, facts, policies, catalog)))


def contents(
    written: Scripts, facts: bytes, policies: Mapping[str, Policy], catalog: SkillCatalog
) -> Mapping[str, bytes]:
    """Path in the bundle, and bytes."""
    names = {todo.policy if todo.policy in policies else DEFAULT_NAME for todo in written.todos}
    found: dict[str, bytes] = {
        "README.md": _own("README.md"),
        "run.sh": _run_sh(written, policies),
        "tools/start.py": _own("start.py"),
        "tools/compare_facts.py": _own("compare_facts.py"),
        "facts.json": facts,
        "inputs.json": _json([item.model_dump() for item in written.inputs]),
        "inputs.tsv": "".join(
            f"{item.sha256}\t{item.name}\t{_one_line(item.original)}\n" for item in written.inputs
        ).encode("utf-8", "backslashreplace"),
    }
    for todo, folder in _folders(written).items():
        sources = next(item.sources for item in written.todos if item.id == todo)
        found |= {f"scripts/{folder}/{name}": source.encode() for name, source in sources.items()}
    for name in names:
        found |= _policy_files(name, policies[name])
    for skill in catalog.skills:
        if skill.scripts is not None:
            found |= _tree(skill.scripts, f"skills/{skill.name}/scripts")
    for pattern in IMAGE_FILES:
        found |= {
            path.relative_to(ROOT).as_posix(): path.read_bytes()
            for path in sorted(ROOT.glob(pattern))
            if path.is_file() and "__pycache__" not in path.parts
        }
    return found


def flags(policy: Policy) -> tuple[str, ...]:
    """Of `docker run`: as `sandbox.hardening` has them, as far as the command line can say so."""
    mount = "rw,noexec,nosuid,nodev,mode=1777"
    limits = policy.resources
    return (
        "--read-only",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges:true",
        f"--network={'bridge' if policy.network.enabled else 'none'}",
        f"--memory={limits.memory}",
        f"--memory-swap={limits.memory}",
        f"--cpus={limits.cpu}",
        f"--pids-limit={limits.pids}",
        f"--tmpfs=/tmp:{mount},size={policy.tmp},nr_inodes={TMP_FILES}",
        f"--tmpfs=/dev/shm:{mount},size={policy.shm},nr_inodes={SHM_FILES}",
        "--ulimit=core=0:0",
        "--ulimit=nofile=1024:1024",
        "--log-driver=none",
        "--attach=stdout",
        "--attach=stderr",
        f"--runtime={policy.container.runtime}",
        *(f"--env={name}={value}" for name, value in environment(policy).items()),
    )


def _run_sh(written: Scripts, policies: Mapping[str, Policy]) -> bytes:
    """Names of todos and scripts are of letters, digits and a few signs, so each is one word of a shell."""
    folders = _folders(written)
    lines = [
        " ".join(
            [
                "todo",
                todo.policy if todo.policy in policies else DEFAULT_NAME,
                folders[todo.id],
                *(f"'{script}'" for script in todo.runs),
            ]
        )
        for todo in written.todos
    ]
    return _own("run.sh").replace(b"# todos\n", ("\n".join(lines) + "\n").encode())


def _folders(written: Scripts) -> Mapping[str, str]:
    """Todos in their order, with a folder each that any system can have."""
    return {todo.id: f"{place:02}" for place, todo in enumerate(written.todos, 1)}


def _policy_files(name: str, policy: Policy) -> Mapping[str, bytes]:
    facts = policy.model_dump(mode="json", exclude_none=True)
    text = yaml.safe_dump(facts, sort_keys=False)  # pyright: ignore[reportUnknownMemberType]  # no types
    return {
        f"policy/{name}.yaml": text.encode(),
        f"policy/{name}.flags": "".join(f"{flag}\n" for flag in flags(policy)).encode(),
        f"policy/{name}.seccomp.json": seccomp_profile(policy).encode(),
        f"policy/{name}.image": f"{policy.container.image or image_tag(ROOT)}\n".encode(),
    }


def _tree(folder: Path, prefix: str) -> dict[str, bytes]:
    return {
        f"{prefix}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts
    }


def _own(name: str) -> bytes:
    return (files("agent.bundled") / name).read_bytes()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace")


def _one_line(text: str) -> str:
    """Nothing in it moves a terminal's cursor, or ends a field."""
    return " ".join(clean_text(text).split())


def _zip(name: str, found: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in _entries(name, found):
            archive.writestr(entry, content)
    return packed.getvalue()


def _entries(name: str, found: Mapping[str, bytes]) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    for path, content in sorted(found.items()):
        entry = zipfile.ZipInfo(f"{name}/{path}", _TIME)
        mode = 0o755 if path.endswith(".sh") else 0o644
        entry.external_attr = (stat.S_IFREG | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        yield entry, content
