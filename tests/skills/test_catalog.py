from pathlib import Path

import pytest

from skills.catalog import Needs, SkillCatalog, SkillError, built_in, check_folder, read_skill_folder


def write_skill(folder: Path, name: str, text: str) -> Path:
    skill = folder / name
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(text, encoding="utf-8")
    return skill


GOOD = "---\nname: sales\ndescription: How we report sales.\n---\n# Sales\nUse net figures.\n"


def test_a_teams_skill_joins_ours(tmp_path: Path) -> None:
    write_skill(tmp_path, "sales", GOOD)
    catalog = SkillCatalog.load(tmp_path)
    skill = catalog.find("sales")
    assert skill is not None
    assert skill.body() == "# Sales\nUse net figures."
    assert "- sales: How we report sales." in catalog.index()
    assert {"eda", "charts", "presentation", "python-scripts"} <= set(catalog.names)


def test_a_teams_skill_of_the_same_name_replaces_ours(tmp_path: Path) -> None:
    write_skill(tmp_path, "eda", GOOD.replace("name: sales", "name: eda"))
    skill = SkillCatalog.load(tmp_path).find("eda")
    assert skill is not None
    assert skill.folder == (tmp_path / "eda").resolve()


def test_every_skill_of_ours_is_valid() -> None:
    for skill in SkillCatalog.load().skills:
        assert check_folder(skill.folder) == ()
    assert check_folder(built_in() / "optional") == ()


def test_a_skill_of_ours_that_needs_packages_is_there_only_by_name() -> None:
    assert all(skill.needs == Needs() for skill in SkillCatalog.load().skills)
    skill = SkillCatalog.load(optional=["javascript"]).find("javascript")
    assert skill is not None
    assert skill.needs.debian == ("nodejs",)
    assert (".js", "/usr/bin/node") in skill.needs.interpreters
    with pytest.raises(SkillError, match="none is called java; there are: javascript"):
        SkillCatalog.load(optional=["java"])


def test_what_a_teams_skill_needs_is_read(tmp_path: Path) -> None:
    needs = "metadata:\n  python: a==1 b==2\n  interpreters: |\n    .r /usr/bin/Rscript --vanilla\n---\n#"
    write_skill(tmp_path, "sales", GOOD.replace("---\n#", needs))
    skill = SkillCatalog.load(tmp_path).find("sales")
    assert skill is not None
    assert skill.needs == Needs(
        python=("a==1", "b==2"), interpreters=((".r", "/usr/bin/Rscript", "--vanilla"),)
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# no front matter", "front matter"),
        ("---\nname: [\n---\nbody", "not YAML"),
        ("---\n- a\n---\nbody", "must be a mapping"),
        (GOOD.replace("name: sales", "name: Sales Team"), "lower-case"),
        (GOOD.replace("name: sales", "name: other"), "they must be the same"),
        (GOOD.replace("description: How we report sales.", "description: ''"), "description"),
        (GOOD.replace("How we report sales.", "x" * 1025), "1025 characters"),
        ("---\nname: sales\ndescription: d\n---\n", "body is empty"),
        (GOOD + "x" * 30_000, "characters"),
        (GOOD.replace("---\n#", "metadata: nodejs\n---\n#"), "metadata must be a mapping"),
        (GOOD.replace("---\n#", "metadata:\n  debian: [nodejs]\n---\n#"), "metadata.debian must be text"),
        (GOOD.replace("---\n#", "metadata:\n  interpreters: node\n---\n#"), "a suffix and a command"),
    ],
)
def test_a_bad_skill_is_refused_with_what_is_wrong(tmp_path: Path, text: str, problem: str) -> None:
    folder = write_skill(tmp_path, "sales", text)
    with pytest.raises(SkillError, match=problem):
        read_skill_folder(folder)
    assert problem in check_folder(tmp_path)[0]


def test_a_script_that_does_not_compile_is_found(tmp_path: Path) -> None:
    folder = write_skill(tmp_path, "sales", GOOD)
    (folder / "scripts").mkdir()
    (folder / "scripts" / "broken.py").write_text("def (:\n")
    assert "broken.py does not compile" in check_folder(folder)[0]


def test_an_empty_folder_is_no_folder_of_skills(tmp_path: Path) -> None:
    assert "no SKILL.md" in check_folder(tmp_path)[0]
