"""The image's name follows from what goes into it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.errors import ImageMissing
from sandbox.images import RECIPE, digest, image_of, image_tag, is_derived
from sandbox.policy import Policy

ROOT = Path(__file__).parents[2]
INPUTS = (
    "deploy/sandbox/Dockerfile",
    "deploy/sandbox/base.sh",
    "deploy/sandbox/requirements.lock",
    "sandbox/guest/supervisor.py",
    "sandbox/guest/deeper/wire.py",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in INPUTS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"the content of " + name.encode())
    return tmp_path


@pytest.mark.parametrize("name", INPUTS)
def test_any_changed_byte_of_an_input_is_another_image(tree: Path, name: str) -> None:
    before = image_tag(tree)
    content = (tree / name).read_bytes()
    (tree / name).write_bytes(content + b" ")
    assert image_tag(tree) != before
    (tree / name).write_bytes(content)
    assert image_tag(tree) == before


def test_a_renamed_an_added_and_a_removed_guest_file_are_other_images(tree: Path) -> None:
    tags = [image_tag(tree)]
    moved = (tree / "sandbox/guest/supervisor.py").rename(tree / "sandbox/guest/main.py")
    tags.append(image_tag(tree))
    (tree / "sandbox/guest/more.py").touch()
    tags.append(image_tag(tree))
    moved.unlink()
    tags.append(image_tag(tree))
    assert len(set(tags)) == len(tags)


def test_what_python_compiled_and_what_lies_elsewhere_changes_nothing(tree: Path) -> None:
    before = image_tag(tree)
    cache = tree / "sandbox/guest/__pycache__"
    cache.mkdir()
    (cache / "supervisor.cpython-311.pyc").write_bytes(b"compiled")
    (tree / "deploy/sandbox/image.sh").write_text("# how it is built, not what is in it")
    assert image_tag(tree) == before


def test_the_order_of_the_inputs_does_not_matter() -> None:
    contents = {"a": b"1", "b": b"2", "c": b"3"}
    assert digest(contents) == digest(dict(reversed(contents.items())))


def test_no_byte_moves_from_a_name_to_a_content_unnoticed() -> None:
    assert digest({"ab": b"c"}) != digest({"a": b"bc"})
    assert digest({"a": b"b", "c": b""}) != digest({"a": b"", "c": b"b"})


def with_packages(**packages: list[str]) -> Policy:
    return Policy.model_validate({"container": {"packages": packages}})


def test_a_policy_without_packages_has_the_usual_image_or_its_own(tree: Path) -> None:
    assert image_of(Policy(), b"", tree) == image_tag(tree)
    own = Policy.model_validate({"container": {"image": "mine:1"}})
    assert image_of(own, b"", tree) == "mine:1"
    assert not is_derived(image_tag(tree))


def test_a_derived_image_has_the_name_of_its_base_its_packages_its_lock_and_its_recipe(tree: Path) -> None:
    (tree / RECIPE).write_text("FROM x")
    policy = with_packages(debian=["nodejs"])
    names = [image_of(policy, b"lock", tree)]
    assert is_derived(names[0])
    assert names[0].startswith(f"{image_tag(tree)}-")
    names.append(image_of(policy, b"another lock", tree))
    names.append(image_of(with_packages(debian=["gawk"]), b"lock", tree))
    names.append(image_of(with_packages(python=["nodejs==1"]), b"lock", tree))
    own = policy.container.model_copy(update={"image": "mine:1"})
    names.append(image_of(policy.model_copy(update={"container": own}), b"lock", tree))
    (tree / RECIPE).write_text("FROM y")
    names.append(image_of(policy, b"lock", tree))
    (tree / "sandbox/guest/more.py").touch()
    names.append(image_of(policy, b"lock", tree))
    assert len(set(names)) == len(names)
    assert all(map(is_derived, names))


def test_an_image_of_ours_with_packages_is_named_without_a_lock(tree: Path) -> None:
    (tree / RECIPE).write_text("FROM x")
    policy = with_packages(debian=["nodejs"])
    image = image_of(policy, None, tree)
    assert is_derived(image)
    assert image != image_of(policy, b"", tree)
    assert image != image_of(with_packages(debian=["gawk"]), None, tree)


def test_83_a_missing_image_is_told_with_what_builds_it(tree: Path) -> None:
    (tree / RECIPE).write_text("FROM x")
    assert ImageMissing(image_tag(tree)).command == "make image"
    derived = ImageMissing(image_of(with_packages(debian=["nodejs"]), b"", tree))
    assert "run `deckhand sandbox build`" in str(derived)


def test_a_folder_that_is_no_source_tree_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        image_tag(tmp_path)


def test_the_shell_scripts_get_the_same_name_from_any_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-m", "sandbox.images"]  # -S: the standard library only
    told = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    assert told.stdout == f"{image_tag()}\n"
    assert re.fullmatch(r"deckhand-sandbox:[0-9a-f]{12}", image_tag())


def test_the_lock_suits_every_python_of_a_base_image() -> None:
    """The host's pip fetches for another Python than its own, yet judges version markers by its own."""
    lock = (ROOT / "deploy/sandbox/requirements.lock").read_text()
    assert "python_full_version" not in lock, "compile it with --fork-strategy fewest"
    assert "python_version" not in lock, "compile it with --fork-strategy fewest"


@pytest.mark.docker
def test_the_image_holds_python_and_no_other_program_and_no_file_that_changes_the_user() -> None:
    assert in_container(FIND_PROGRAMS_AND_MODES).stdout == "10001 10001\n"


@pytest.mark.docker
def test_every_library_of_the_list_can_be_imported_and_was_compiled_before() -> None:
    assert in_container(IMPORT_ALL).stdout == ""


@pytest.mark.docker
def test_one_title_in_many_scripts_is_drawn_without_a_warning() -> None:
    assert in_container(DRAW_MANY_SCRIPTS).stderr == ""


def in_container(script: str) -> subprocess.CompletedProcess[str]:
    command = ["docker", "run", "--rm", "-i", "--pull", "never", "--network", "none", "--read-only"]
    command += ["--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
    command += [image_tag(), "python", "-"]
    return subprocess.run(command, input=script, capture_output=True, text=True, timeout=60, check=True)


FIND_PROGRAMS_AND_MODES = """
import os, stat

for folder in os.environ["PATH"].split(":") + ["/bin", "/sbin", "/usr/sbin", "/usr/local/sbin"]:
    for name in os.listdir(folder):
        if not name.startswith("python"):
            print("a program:", folder, name)
for folder, _, names in os.walk("/"):
    for path in (os.path.join(folder, name) for name in names):
        mode = 0 if path.startswith(("/proc/", "/sys/", "/dev/")) else os.lstat(path).st_mode
        if stat.S_ISREG(mode) and mode & 0o6002:
            print("a mode:", oct(mode), path)
print(os.getuid(), os.getgid())
"""

IMPORT_ALL = """
import importlib.util, os, sys
import charset_normalizer, docx, duckdb, lxml.etree, matplotlib.pyplot, numpy.testing, openpyxl, pandas
import PIL.Image, pptx, pyarrow.parquet, pyflakes.api, pypdf, python_calamine, reportlab.platypus
import scipy.stats, seaborn, sklearn.ensemble, sqlite3, ssl, tabulate, xlrd, xlsxwriter

for module in list(sys.modules.values()):
    source = getattr(module, "__file__", None) or ""
    if source.endswith(".py") and not os.path.exists(importlib.util.cache_from_source(source)):
        print("not compiled:", source)
"""

DRAW_MANY_SCRIPTS = """
import shutil

shutil.copytree("/opt/mplcache", "/tmp/mpl")
import matplotlib.pyplot as plt

plt.title("Привет 世界 日本語 한국어 😀 🚀 ✓ ₽", weight="bold")
plt.savefig("/tmp/plot.png")
"""
