"""`deckhand sandbox selftest`: every check of the policy, for the screen and as a report file."""

import errno
import os
from pathlib import Path

from rich.table import Table
from rich.text import Text

from bot.entry import ExitCode, Session
from bot.errors import SettingsError
from bot.ops.proof import prove_here
from bot.ops.version import version
from bot.policies import load_catalog, policies_in_force
from bot.sandboxes import check_image
from bot.texts import Texts
from sandbox.policy import DEFAULT_NAME
from sandbox.probe.proof import Standing
from sandbox.probe.report import as_json, as_markdown, counts
from sandbox.probe.verdict import Verdict

_UNWRITABLE = "selftest-unwritable"
_STYLE = {
    Standing.HOLDS: "green",
    Standing.LOOK: "yellow",
    Standing.ACCEPTED: "yellow",
    Standing.BROKEN: "bold red",
}


async def run(session: Session, out: Path | None) -> ExitCode:
    """Raises: SandboxError: nothing could be proved; SettingsError: the report cannot be written."""
    if out is not None:
        report_files(out)  # what cannot be should be heard before the work
    policies = policies_in_force(session.settings, load_catalog(session.settings))
    for policy in policies.values():
        await check_image(policy)
    code = ExitCode.DONE
    for name, policy in policies.items():
        verdict = await prove_here(session.settings, policy, name)
        session.screen.out.print(table(verdict, session.t))
        session.screen.say(summary(verdict, session.t))
        file = out or session.settings.data / f"selftest-{verdict.at:%Y-%m-%d}.md"
        markdown, data = write(verdict, file, "" if name == DEFAULT_NAME else name)
        session.note(session.t("selftest-written", file=str(markdown), data=str(data)))
        code = ExitCode.SANDBOX if verdict.reasons else code
    return code


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


def report_files(file: Path, policy: str = "") -> tuple[Path, Path]:
    """Markdown and JSON, in the place of `file`; those of another policy than the default have its name.

    Raises: SettingsError: `file` is a folder.
    """
    if file.is_dir():
        raise SettingsError(_UNWRITABLE, file=str(file), reason=os.strerror(errno.EISDIR))
    name = file.stem if file.suffix in (".md", ".json") else file.name
    name = f"{name}-{policy}" if policy else name
    return file.with_name(f"{name}.md"), file.with_name(f"{name}.json")


def write(verdict: Verdict, file: Path, policy: str = "") -> tuple[Path, Path]:
    """The two files that were written, as `report_files` names them.

    Raises: SettingsError: one of them cannot be.
    """
    markdown, data = report_files(file, policy)
    try:
        markdown.write_text(as_markdown(verdict, version()), encoding="utf-8")
        data.write_text(as_json(verdict, version()), encoding="utf-8")
    except OSError as fault:
        raise SettingsError(_UNWRITABLE, file=str(file), reason=fault.strerror or "") from fault
    return markdown, data
