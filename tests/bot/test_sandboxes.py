"""Which sandbox the bot works with."""

from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.ops.doctor import Level, check_service
from bot.ops.rendering import check_rendering
from bot.sandboxes import open_sandbox
from bot.settings import Settings
from bot.texts import Language, texts
from sandbox.client import SandboxClient
from sandbox.e2b.provider import E2BSandbox
from sandbox.errors import SandboxUnavailable
from sandbox.policy import RENDER_NAME, Policy
from skills.catalog import SkillCatalog
from tests.conftest import fresh_workspace
from tests.fakes import FakeSandbox
from tests.serving import served

TOKEN = "a token of more than 16"  # noqa: S105  # of nobody


async def test_with_a_service_the_bot_needs_no_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    fake = FakeSandbox()
    async with served(fake, tmp_path, token=TOKEN, tcp=True) as url:
        settings = Settings.model_validate({"sandbox_url": url, "sandbox_token": TOKEN})
        async with open_sandbox(settings, SkillCatalog(())) as (sandbox, languages):
            assert isinstance(sandbox, SandboxClient)
            assert languages == ()
            async with sandbox.lease(fresh_workspace(tmp_path)):
                assert fake.live == 1
        assert (await check_service(settings)).level is Level.OK


async def test_doctor_asks_a_service_whether_it_renders(tmp_path: Path) -> None:
    offers: tuple[tuple[dict[str, Policy], str], ...] = (
        ({}, "doctor-rendering-not-elsewhere"),
        ({RENDER_NAME: Policy(name=RENDER_NAME)}, "doctor-rendering-elsewhere"),
    )
    for policies, key in offers:
        async with served(FakeSandbox(), tmp_path, policies={"default": Policy(), **policies}) as url:
            check = await check_rendering(Settings.model_validate({"sandbox_url": url}))
        assert check is not None
        assert check.key == key
        assert all(texts(language)(check.key, **check.facts) for language in Language)
    assert await check_rendering(Settings.model_validate({"sandbox_url": f"unix://{tmp_path}/no"})) is None


async def test_machines_of_e2b_are_chosen_by_the_address(tmp_path: Path) -> None:
    settings = Settings.model_validate({"sandbox_url": "e2b:mine", "e2b_api_key": "e2b_0123"})
    async with open_sandbox(settings, SkillCatalog(())) as (sandbox, languages):
        assert isinstance(sandbox, E2BSandbox)
        assert languages == ()
    assert "e2b_0123" in settings.secrets
    check = await check_service(settings)
    assert (check.level, check.key) == (Level.WARNING, "doctor-service-unasked")
    assert all(texts(language)(check.key, **check.facts) for language in Language)


async def test_machines_of_e2b_without_a_key_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("E2B_API_KEY", raising=False)
    settings = Settings(sandbox_url="e2b:mine")
    with pytest.raises(SettingsError, match="sandbox-e2b-keyless"):
        async with open_sandbox(settings, SkillCatalog(())):
            pass
    check = await check_service(settings)
    assert check.level is Level.FAILURE
    assert "set E2B_API_KEY" in texts(Language.ENGLISH)(check.key, **check.facts)


async def test_a_service_that_is_not_there_is_told_before_anything_is_begun(tmp_path: Path) -> None:
    settings = Settings(sandbox_url=f"unix://{tmp_path}/no.sock")
    with pytest.raises(SandboxUnavailable, match="cannot be reached"):
        async with open_sandbox(settings, SkillCatalog(())):
            pass
    check = await check_service(settings)
    assert (check.level, check.key) == (Level.FAILURE, "doctor-service-bad")
