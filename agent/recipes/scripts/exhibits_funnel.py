"""Exhibits of a funnel: stages that only shrink."""

from exhibits import Exhibit
from labels import shown_name
from wording import clip, derived, number, percent, say

STAGES = 10


def funnel(frame, item):
    """Stages that only shrink, in every column: what of the first one is left at the last."""
    if not 3 <= len(frame) <= STAGES or frame.isna().any(axis=None) or (frame <= 0).any(axis=None):
        return
    if (frame.diff().iloc[1:] >= 0).any(axis=None):
        return
    first, last = frame.index[0], frame.index[-1]
    whole = frame.sum(axis=1)
    left = (frame.iloc[-1] / frame.iloc[0]).sort_values(ascending=False)
    facts = {
        "first": first,
        "last": last,
        "all": percent(derived(whole.iloc[-1] / whole.iloc[0], f"{last} / {first}", "%")),
    }
    if len(left) > 1:
        ends = {
            "top": clip(left.index[0]),
            "high": percent(derived(left.iloc[0], f"{last} / {first}, {left.index[0]}", "%")),
        }
        low = derived(left.iloc[-1], f"{last} / {first}, {left.index[-1]}", "%")
        ends |= {"low_name": clip(left.index[-1]), "low": percent(low)}
        title = say("funnel", **facts, **ends)
        yield Exhibit(
            "small", "bar", title, left.rename(say("funnel_axis")), 130, percent=True, x_title=say("column")
        )
    steps = whole.pct_change().iloc[1:]
    lost = -whole.diff().iloc[1:]
    step = steps.idxmin()
    before = whole.index[list(whole.index).index(step) - 1]
    share = derived(-steps[step], f"lost from {before} to {step}, share", "%")
    count = derived(lost[step], f"lost from {before} to {step}")
    title = say("funnel_loss", before=before, after=step, share=percent(share), lost=number(count))
    counts = [f"{clip(name, 24)} {number(derived(n, f'{name}, total'))}" for name, n in whole.items()]
    takeaway = say("funnel_all", stages=" → ".join(counts), **facts)
    data = whole.rename(say("funnel_total"))
    yield Exhibit(
        "small",
        "bar",
        title,
        data,
        120,
        takeaway,
        x_title=shown_name(item.label),
        y_title=say("funnel_total"),
    )
