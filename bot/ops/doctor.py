"""What is missing on this machine, and how to mend it."""

import shutil
import socket
import tempfile
from collections.abc import AsyncGenerator, Mapping
from http import HTTPStatus
from pathlib import Path

import httpx
from rich.table import Table
from rich.text import Text

from bot.entry import ExitCode
from bot.errors import SettingsError
from bot.home import make_private
from bot.ops.check import Check, Level, Subject
from bot.ops.lock import is_served
from bot.ops.proof import check_proofs
from bot.ops.rendering import check_rendering
from bot.policies import load_catalog, policies_in_force
from bot.render import file_size
from bot.sandboxes import check_image, is_e2b, open_sandbox
from bot.settings import Settings
from bot.telegram.check import check_telegram
from bot.texts import Texts
from bot.trust import outward
from bot.workshop import model_settings
from sandbox.errors import ImageMissing, PolicyError, SandboxError, SandboxUnavailable
from sandbox.names import clean_text
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.policyfile import DEFAULT, load_policy
from skills.catalog import SKILL_FILE, SkillCatalog, SkillError, built_in, check_folder

ROOM = 2 * 1024**3
"""Bytes that the image, inputs and results need before one has to look after the disk."""


async def examine(
    settings: Settings, transport: httpx.AsyncBaseTransport | None = None
) -> AsyncGenerator[Check]:
    """Every check, one after the other. `transport` replaces the network in tests."""
    data = check_data(settings)
    yield data
    yield check_disk(settings)
    if settings.sandbox_url is not None:
        yield await check_service(settings)
    else:
        async for check in check_engine(settings, data):
            yield check
    if (rendering := await check_rendering(settings)) is not None:
        yield rendering
    yield await check_model(settings, transport)
    yield check_skills(settings)
    serving = is_served(settings.data)
    async for check in check_telegram(settings, transport, serving=serving):
        yield check
    yield check_http(settings, serving=serving)
    yield check_retention(settings)


def check_data(settings: Settings) -> Check:
    folder = settings.data
    try:
        make_private(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        facts = {"folder": str(folder), "reason": fault.strerror or ""}
        return Check(Subject.DATA, Level.FAILURE, "doctor-data-bad", facts)
    return Check(Subject.DATA, Level.OK, "doctor-data-ok", {"folder": str(folder)})


def check_disk(settings: Settings) -> Check:
    folder = settings.data
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    level, key = (Level.OK, "doctor-disk-ok") if free >= ROOM else (Level.WARNING, "doctor-disk-low")
    return Check(Subject.DISK, level, key, {"free": file_size(free)})


def check_http(settings: Settings, *, serving: bool) -> Check:
    """Whether our server can have its address, unless our own bot has it."""
    address = settings.deckhand_http
    if address is None:
        if settings.telegram_webhook_url is not None:
            return Check(Subject.HTTP, Level.FAILURE, "doctor-http-needed")
        return Check(Subject.HTTP, Level.OK, "doctor-http-none")
    if serving:
        return Check(Subject.HTTP, Level.OK, "doctor-http-ours", {"address": address})
    host, _, port = address.rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
        with socket.create_server(found[0][4][:2], family=found[0][0]):
            pass
    except (OSError, OverflowError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        return Check(Subject.HTTP, Level.FAILURE, "http-taken", {"address": address, "reason": reason})
    return Check(Subject.HTTP, Level.OK, "doctor-http-ok", {"address": address})


def check_retention(settings: Settings) -> Check:
    days = settings.deckhand_keep_days
    if days is None:
        return Check(Subject.RETENTION, Level.OK, "doctor-retention-none")
    return Check(Subject.RETENTION, Level.OK, "doctor-retention-ok", {"days": days})


def check_policies(settings: Settings) -> tuple[Mapping[str, Policy], Check]:
    """The policies, or ours to look for its image when one of them is not valid."""
    places = [settings.sandbox_policy or DEFAULT, *filter(None, [settings.sandbox_policies])]
    try:
        catalog = load_catalog(settings)
    except SkillError:  # which is told in its own place
        catalog = SkillCatalog(())
    try:
        policies = policies_in_force(settings, catalog)
    except PolicyError as fault:
        bad = Check(Subject.POLICY, Level.FAILURE, "doctor-policy-bad", {"reason": str(fault)})
        return {DEFAULT_NAME: load_policy()}, bad
    files = ", ".join(map(str, places))
    return policies, Check(Subject.POLICY, Level.OK, "doctor-policy-ok", {"file": files})


async def check_engine(settings: Settings, data: Check) -> AsyncGenerator[Check]:
    """The engine of this machine, and what it keeps of each policy."""
    policies, found = check_policies(settings)
    yield found
    able = {data.level, found.level} == {Level.OK}
    async for check in check_sandbox(policies):
        able = able and check.level is Level.OK
        yield check
    if able:
        for check in await check_proofs(settings, policies):
            yield check


async def check_service(settings: Settings) -> Check:
    """Of a sandbox elsewhere only that it answers; what it lacks is told by doctor there.

    E2B is not asked, since that would cost a machine.
    """
    try:
        async with open_sandbox(settings, SkillCatalog(())):
            pass
    except SandboxError as fault:
        return Check(Subject.SERVICE, Level.FAILURE, "doctor-service-bad", {"reason": str(fault)})
    except SettingsError as fault:
        return Check(Subject.SERVICE, Level.FAILURE, fault.key, dict(fault.facts))
    facts = {"url": settings.sandbox_url or ""}
    if is_e2b(settings):
        return Check(Subject.SERVICE, Level.WARNING, "doctor-service-unasked", facts)
    return Check(Subject.SERVICE, Level.OK, "doctor-service-ok", facts)


async def check_sandbox(policies: Mapping[str, Policy]) -> AsyncGenerator[Check]:
    """The engine, and the image of each policy."""
    images: list[Check] = []
    for name, policy in policies.items():
        whose = name if len(policies) > 1 else ""
        try:
            image = await check_image(policy)
        except ImageMissing as fault:
            facts = {"image": fault.image, "command": fault.command}
            images.append(Check(Subject.IMAGE, Level.FAILURE, "doctor-image-missing", facts, whose))
        except SandboxUnavailable as fault:
            yield Check(Subject.ENGINE, Level.FAILURE, "doctor-engine-bad", {"reason": str(fault)})
            yield Check(Subject.IMAGE, Level.WARNING, "doctor-image-unknown")
            return
        else:
            images.append(Check(Subject.IMAGE, Level.OK, "doctor-image-ok", {"image": image}, whose))
    yield Check(Subject.ENGINE, Level.OK, "doctor-engine-ok")
    for check in images:
        yield check


async def check_model(settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> Check:
    """Asks for the list of models, which costs nothing. The key is sent, and never shown."""
    model = model_settings(settings)
    if model.offline:
        return Check(Subject.MODEL, Level.WARNING, "doctor-model-offline")
    url = (model.base_url or "https://api.openai.com/v1").rstrip("/")
    shown = httpx.URL(url).copy_with(username=None, password=None, query=None)
    headers = {"Authorization": f"Bearer {model.api_key.get_secret_value()}"} if model.api_key else {}
    try:
        async with outward(settings, transport) as client:
            answer = await client.get(f"{url}/models", headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as fault:
        facts = {"url": str(shown), "reason": type(fault).__name__}
        return Check(Subject.MODEL, Level.FAILURE, "doctor-model-unreachable", facts)
    return judge_model(str(shown), answer.status_code, answer.text, model.model)


def judge_model(url: str, status: int, body: str, model: str) -> Check:
    """What the endpoint's answer to `GET /models` means."""
    facts: dict[str, str | int] = {"url": url, "model": model}
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return Check(
            Subject.MODEL, Level.FAILURE, "doctor-model-refused", {"url": url, "status": str(status)}
        )
    if status != HTTPStatus.OK:
        return Check(Subject.MODEL, Level.WARNING, "doctor-model-silent", {"url": url, "status": str(status)})
    if f'"{model}"' not in body:
        return Check(Subject.MODEL, Level.WARNING, "doctor-model-unlisted", facts)
    return Check(Subject.MODEL, Level.OK, "doctor-model-ok", facts)


def check_skills(settings: Settings) -> Check:
    try:
        catalog = load_catalog(settings)
    except SkillError as fault:
        return Check(Subject.SKILLS, Level.FAILURE, "doctor-skills-bad", {"reason": str(fault)})
    if settings.skills_dir is not None and (problems := check_folder(settings.skills_dir)):
        return Check(Subject.SKILLS, Level.FAILURE, "doctor-skills-bad", {"reason": problems[0]})
    count = len(catalog.skills)
    if settings.skills_dir is not None and (names := replaced_skills(settings.skills_dir)):
        facts: dict[str, str | int] = {"count": count, "names": ", ".join(names)}
        return Check(Subject.SKILLS, Level.OK, "doctor-skills-replaced", facts)
    return Check(Subject.SKILLS, Level.OK, "doctor-skills-ok", {"count": count})


def replaced_skills(folder: Path) -> tuple[str, ...]:
    """Names of shipped skills that a skill, or the skills in a folder, stand in for."""
    one = (folder / SKILL_FILE).exists()
    found = [folder] if one else sorted(path.parent for path in folder.glob(f"*/{SKILL_FILE}"))
    ours = SkillCatalog.load().names
    places = [place.resolve() for place in found]
    return tuple(place.name for place in places if place.name in ours and place.parent != built_in())


def check_table(checks: list[Check], t: Texts) -> Table:
    table = Table(
        title=t("doctor-title"), title_justify="left", box=None, show_header=False, padding=(0, 2, 0, 0)
    )
    style = {Level.OK: "green", Level.WARNING: "yellow", Level.FAILURE: "bold red"}
    for check in checks:
        table.add_row(
            Text(t(f"doctor-check-{check.subject.value}") + (f" ({check.policy})" if check.policy else "")),
            Text(t(f"doctor-level-{check.level.value}"), style=style[check.level]),
            Text(clean_text(t(check.key, **check.facts))),
        )
    return table


def summary(checks: list[Check], t: Texts) -> tuple[str, ExitCode]:
    """A sentence, and the code of the first thing that is missing."""
    missing = [check.subject for check in checks if check.level is Level.FAILURE]
    if not missing:
        return t("doctor-summary-ok"), ExitCode.DONE
    codes = {
        Subject.ENGINE: ExitCode.SANDBOX,
        Subject.IMAGE: ExitCode.SANDBOX,
        Subject.PROOF: ExitCode.SANDBOX,
        Subject.DEGRADED: ExitCode.SANDBOX,
        Subject.SERVICE: ExitCode.SANDBOX,
        Subject.MODEL: ExitCode.MODEL,
    }
    return t("doctor-summary-bad", count=len(missing)), codes.get(missing[0], ExitCode.USAGE)
