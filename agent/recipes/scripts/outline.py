"""The outline of a deck: which exhibits it shows in the slides that it has."""

import figures
import story

LEAST, USUAL = 6, 11
SOLID = 45
"""The weight of an exhibit that a deck of no given length takes."""


def outline(found, wanted, skipped):
    """Exhibits; cover and method always have a slide, figures and conclusions where the deck is not short."""
    fixed = 2 if is_short(wanted) else 4
    chosen = story.choose(found.findings, max((wanted or USUAL) - fixed, 0), skipped)
    if wanted is None:
        solid = [item for item in chosen if item.weight >= SOLID]
        chosen = solid if len(solid) >= LEAST - fixed else chosen
    fillers = (figures.rows_exhibit(found.frame), figures.columns_exhibit(found.frame, found.findings))
    short = (wanted or LEAST) - fixed - len(chosen)
    chosen += [item for item in fillers if item is not None][: max(short, 0)]
    return chosen


def is_short(wanted):
    """Such a deck has room for exhibits only."""
    return wanted is not None and wanted < LEAST
