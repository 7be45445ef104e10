"""What is going on here: /status, /plan, /cancel."""

from collections.abc import Sequence

from agent.plan import Plan
from bot import render
from bot.commands.parts import Asked, Parts, Reply, history, replied_to
from bot.dispatch import JobState, Standing
from storage.records import RunId


async def status(asked: Asked, parts: Parts) -> Reply:
    """Of this conversation; an admin in private also hears how busy the machine is, and not with what."""
    here = parts.dispatcher.standings(asked.conversation.id)
    lines = [_status(number, standing, asked, parts) for number, standing in enumerate(here, 1)]
    if not lines:
        lines.append(asked.t("status-idle"))
    if asked.admin and asked.private:
        everywhere = parts.dispatcher.standings()
        waiting = sum(standing.state is JobState.QUEUED for standing in everywhere)
        lines += ["", asked.t("status-machine", working=len(everywhere) - waiting, waiting=waiting)]
    return Reply("\n".join(lines))


async def plan(asked: Asked, parts: Parts) -> Reply:
    """Of the run that the command replies to, or of the newest that has a plan."""
    meant = await replied_to(asked, parts)
    known = [run.id for run in await history(asked.conversation, parts.runs)]
    plans = await parts.events.of_kind([meant] if meant else known, "PlanChanged")
    if not plans:
        return Reply(asked.t("plan-none"))
    newest = plans[-1]  # ids of runs grow with time
    return Reply(render.whole_plan(Plan.model_validate(newest.payload["plan"]), asked.t))


async def cancel(asked: Asked, parts: Parts) -> Reply:
    """What the person asked for here; an admin stops others' runs too. A number or a reply means one run."""
    here = parts.dispatcher.standings(asked.conversation.id)
    chosen = _chosen(here, asked, await replied_to(asked, parts))
    if chosen is None:
        return Reply(asked.t("cancel-which", count=len(here)))
    mine = [standing for standing in chosen if asked.admin or standing.run.sender == asked.sender]
    stopped = [standing for standing in mine if parts.dispatcher.cancel(standing.run.id)]
    if stopped:
        lines = [asked.t("cancelling"), *(f"– {_request(standing)}" for standing in stopped)]
        return Reply("\n".join(lines))
    if chosen and not mine:
        return Reply(asked.t("cancel-not-yours"))
    return Reply(asked.t("status-idle"))


def _chosen(here: Sequence[Standing], asked: Asked, replied: RunId | None) -> Sequence[Standing] | None:
    """None for a number that no run has."""
    if replied is not None and not asked.words:
        return [standing for standing in here if standing.run.id == replied]
    if not asked.words:
        return here
    word = asked.words[0].removeprefix("#")
    if word.isascii() and word.isdecimal() and 1 <= int(word[:9]) <= len(here):
        return [here[int(word) - 1]]
    return None


def _status(number: int, standing: Standing, asked: Asked, parts: Parts) -> str:
    request = _request(standing)
    if standing.state is JobState.QUEUED:
        line = asked.t("status-queued", request=request, ahead=standing.ahead)
    else:
        snapshot = parts.worker.snapshot(standing.run.id)
        began = standing.run.started_at or standing.run.created_at
        line = asked.t(
            "status-working",
            request=request,
            elapsed=render.duration((parts.clock() - began).total_seconds()),
            done=snapshot.done if snapshot else 0,
            total=len(snapshot.plan.todos) if snapshot else 0,
            tokens=snapshot.tokens if snapshot else 0,
        )
    return f"{number}. {line}"


def _request(standing: Standing) -> str:
    return render.clip(standing.run.request, 60)
