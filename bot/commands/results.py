"""What came of it: /files, /again, /resend."""

from bot import disarm, render
from bot.commands.parts import Asked, Parts, Reply, history, replied_to
from bot.dispatch import stored_outcome
from bot.inputs import Past, newest_files
from sandbox.names import sendable_names

SHOWN = 30
"""Lines of each list; older files are counted."""


async def files(asked: Asked, parts: Parts) -> Reply:
    """Those of this conversation alone."""
    known = await history(asked.conversation, parts.runs)
    sent = [
        f"{disarm.file_name(sendable_names([item.original])[0])} — {render.file_size(item.size)}"
        for item in newest_files([Past(run) for run in known])
    ]
    made = [
        f"{disarm.file_name(file.name)} — {render.file_size(file.size)}"
        for run in known
        for file in (await parts.made.of(run.id))[0]
    ]
    blocks = [
        "\n".join((asked.t(key), *_shortened(lines, asked)))
        for key, lines in (("files-sent", sent), ("files-made", made))
        if lines
    ]
    return Reply("\n\n".join(blocks) or asked.t("files-none"))


async def again(asked: Asked, parts: Parts) -> Reply:
    """Where messages are stored before they are answered, the intake sees to it, files and all."""
    del parts
    return Reply(asked.t("again-files-missing"))


async def resend(asked: Asked, parts: Parts) -> Reply:
    """Of the newest run that has ended here, or the one that the command replies to: what has not arrived.

    All files where everything has, or where `all` stands behind the command.
    """
    meant = await replied_to(asked, parts)
    known = await history(asked.conversation, parts.runs)
    ended = next((run for run in known if run.status.is_final), None)
    run = ended if meant is None else await parts.runs.get(meant)
    if run is None:
        return Reply(asked.t("resend-none"))
    outcome = stored_outcome(run)
    if outcome is None:
        return Reply(asked.t("resend-too-early"))
    count = await parts.resends.resend(run, outcome, everything=asked.words[:1] == ["all"])
    return Reply(asked.t("resending") if count else asked.t("resend-none"))


def _shortened(lines: list[str], asked: Asked) -> list[str]:
    if len(lines) <= SHOWN:
        return lines
    return [*lines[:SHOWN], asked.t("files-more", count=len(lines) - SHOWN)]
