"""`deckhand sandbox selftest`: every check of the policy, for the screen and as a report file."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.table import Table
from rich.text import Text

from bot.entry import ExitCode, Session
from bot.errors import SettingsError
from bot.policies import load_catalog, policies_in_force
from bot.proof import prove_here
from bot.sandboxes import check_image
from bot.texts import Texts
from sandbox.policy import DEFAULT_NAME
from sandbox.probe.proof import Standing
from sandbox.probe.report import as_json, as_markdown, counts
from sandbox.probe.verdict import Verdict

_STYLE = {
    Standing.HOLDS: "green",
    Standing.LOOK: "yellow",
    Standing.ACCEPTED: "yellow",
    Standing.BROKEN: "bold red",
}


async def run(session: Session, out: Path | None) -> ExitCode:
    """Raises: SandboxError: nothing could be proved; SettingsError: the report cannot be written."""
    policy = policies_in_force(session.settings, load_catalog(session.settings))[DEFAULT_NAME]
    await check_image(policy)
    verdict = await prove_here(session.settings, policy)
    session.screen.out.print(table(verdict, session.t))
    session.screen.say(summary(verdict, session.t))
    markdown, data = write(verdict, out or session.settings.data / f"selftest-{verdict.at:%Y-%m-%d}.md")
    session.note(session.t("selftest-written", file=str(markdown), data=str(data)))
    return ExitCode.SANDBOX if verdict.reasons else ExitCode.DONE


def table(verdict: Verdict, t: Texts) -> Table:
    shown = Table(title=t("selftest-title", policy=verdict.policy.name), title_justify="left", box=None)
    for head in ("selftest-check", "selftest-expected", "selftest-found", "selftest-verdict"):
        shown.add_column(t(head), justify="left", overflow="fold")
    for proof in verdict.proofs:
        standing = proof.standing(verdict.policy.allow_degraded)
        cells = (Text(proof.check), Text(proof.expected), Text(proof.found))
        shown.add_row(*cells, Text(standing.value, style=_STYLE[standing]))
    return shown


def summary(verdict: Verdict, t: Texts) -> str:
    host = verdict.host
    versions = {"engine": host.engine, "runc": host.runc, "kernel": host.kernel}
    count = counts(verdict)
    return t(
        "selftest-summary",
        all=len(verdict.proofs),
        kept=count[Standing.HOLDS],
        look=count[Standing.LOOK],
        accepted=count[Standing.ACCEPTED],
        broken=count[Standing.BROKEN],
        at=f"{verdict.at:%Y-%m-%d %H:%M:%S}",
        **versions,
    )


def write(verdict: Verdict, file: Path) -> tuple[Path, Path]:
    """The two files that were written: Markdown and JSON.

    Raises: SettingsError: one of them cannot be.
    """
    markdown, data = file.with_suffix(".md"), file.with_suffix(".json")
    try:
        markdown.write_text(as_markdown(verdict, own_version()), encoding="utf-8")
        data.write_text(as_json(verdict, own_version()), encoding="utf-8")
    except OSError as fault:
        key = "selftest-unwritable"
        raise SettingsError(key, file=str(file), reason=fault.strerror or "") from fault
    return markdown, data


def own_version() -> str:
    """Of Deckhand, where it was installed and does not run from a source tree alone."""
    try:
        return version("deckhand")
    except PackageNotFoundError:
        return "source tree"
