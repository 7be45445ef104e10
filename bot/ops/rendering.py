"""What doctor tells of the pictures of results: without them all else works."""

from bot.ops.check import Check, Level, Subject
from bot.ops.proof import prove_here
from bot.policies import rendering_policy
from bot.sandboxes import check_image, is_e2b, open_sandbox
from bot.settings import Settings
from sandbox.client import SandboxClient
from sandbox.errors import ImageMissing, PolicyError, SandboxError
from sandbox.policy import RENDER_NAME
from skills.catalog import SkillCatalog


async def check_rendering(settings: Settings) -> Check | None:
    """None where the engine or the service does not answer, which is told in a place of its own."""
    if settings.sandbox_url is not None:
        return await _elsewhere(settings)
    try:
        policy = rendering_policy(settings)
        image = await check_image(policy)
    except ImageMissing as fault:
        facts = {"image": fault.image}
        return Check(Subject.RENDERING, Level.WARNING, "doctor-rendering-missing", facts)
    except PolicyError as fault:
        return Check(Subject.RENDERING, Level.WARNING, "doctor-rendering-bad", {"reason": str(fault)})
    except SandboxError:
        return None
    try:
        reasons = (await prove_here(settings, policy, RENDER_NAME)).reasons
    except SandboxError as fault:
        reasons = (str(fault),)
    if reasons:
        return Check(Subject.RENDERING, Level.WARNING, "doctor-rendering-bad", {"reason": " ".join(reasons)})
    return Check(Subject.RENDERING, Level.OK, "doctor-rendering-ok", {"image": image})


async def _elsewhere(settings: Settings) -> Check | None:
    missing = Check(Subject.RENDERING, Level.WARNING, "doctor-rendering-not-elsewhere")
    if is_e2b(settings):
        return missing
    try:
        async with open_sandbox(settings, SkillCatalog(())) as (sandbox, _):
            offers = await sandbox.policies() if isinstance(sandbox, SandboxClient) else ()
    except SandboxError:
        return None
    if any(offer.name == RENDER_NAME for offer in offers):
        return Check(Subject.RENDERING, Level.OK, "doctor-rendering-elsewhere")
    return missing
