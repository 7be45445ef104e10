"""One session after the other, approaches taking turns, so that noise hits all alike."""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress

from tests.bench.sandbox.approach import TROUBLE, Approach
from tests.bench.sandbox.figures import Sample
from tests.bench.sandbox.workloads import FIVE

_TRIES = 3


async def measure(
    approaches: Sequence[Approach], rounds: int, tell: Callable[[str], None]
) -> tuple[dict[str, list[Sample]], dict[str, str]]:
    """Samples by approach, and why an approach has none: it is left out when it fails three times in a row.

    A first round, in which every library is imported for the first time, is not counted.
    """
    samples: dict[str, list[Sample]] = {approach.name: [] for approach in approaches}
    failures: dict[str, str] = {}
    dice = random.Random(rounds)  # noqa: S311  # an order, not a secret
    for number in range(rounds + 1):
        turn = [approach for approach in approaches if approach.name not in failures]
        dice.shuffle(turn)
        for approach in turn:
            try:
                sample = await _patiently(approach, tell)
            except TROUBLE as error:
                failures[approach.name] = str(error)
                tell(f"{approach.name} is left out")
                continue
            if number:
                samples[approach.name].append(sample)
        tell(f"round {number} of {rounds}")
    return {name: found for name, found in samples.items() if name not in failures}, failures


async def _patiently(approach: Approach, tell: Callable[[str], None]) -> Sample:
    for left in reversed(range(_TRIES)):
        try:
            return await _session(approach)
        except TROUBLE as error:
            tell(f"{approach.name} failed: {error}")
            if not left:
                raise
    raise AssertionError


async def _session(approach: Approach) -> Sample:
    await approach.prepare()
    try:
        lease = await approach.lease()
        scripts = [await approach.run(kind) for kind in FIVE]
    except BaseException:
        with suppress(*TROUBLE):
            await approach.close()
        raise
    await approach.close()
    return Sample(lease, tuple(scripts))
