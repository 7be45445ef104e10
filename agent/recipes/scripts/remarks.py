"""What a reader of the figures should know: traps of the files, and what was assumed on the way."""

import findings
from exhibits import outcome_name
from tables_assumed import MATERIAL, sentence
from task import LANGUAGE
from wording import listed, money, plural, say

TOLD = (
    "combined",
    "lacking_columns",
    "ragged_rows",
    "broken_lines",
    "lost_bytes",
    "unbalanced_quote",
    "formulas_without_values",
    "formula_errors",
    "mixed_dates",
    "ambiguous_dates",
    "conflicting_dates",
    "not_all_dates",
    "ambiguous_numbers",
    "two_digit_years",
    "placeholders",
    "not_all_numbers",
    "mixed_types",
    "excel_serials",
    "hidden_sheet",
    "archive_skipped",
)
"""What may change a figure, the weightiest first; what was read without doubt is not told."""
MOST = 5
"""Remarks on the data of a file."""


def remarks(material):
    """What a reader of the figures should know, the weightiest first."""
    notes = [note for note in material.table.notes if note.code in TOLD]
    notes.sort(key=lambda note: TOLD.index(note.code))
    result = list(material.failures)
    if material.findings.total_rows:
        names = listed([row.label for row in material.findings.total_rows])
        result.append(say("total_rows", names=names))
    if material.findings.overview.columns > findings.MAX_COLUMNS:
        facts = {"most": findings.MAX_COLUMNS, "all": material.findings.overview.columns}
        result.append(say("first_columns", **facts))
    if material.findings.overview.duplicates:
        result.append(say("duplicates_kept", rows=plural(material.findings.overview.duplicates, "row")))
    of_data = [_told(material.table, note) for note in notes]
    for item in [table for table in material.others if not table.hidden][:4]:
        weighty = [note for note in item.notes if note.code in TOLD]
        of_data += [f"{item.name}: {note.text(LANGUAGE)}" for note in weighty]
    result += list(dict.fromkeys(of_data))[:MOST]
    if material.others:
        names = [f"{item.name} ({plural(len(item.frame), 'row')})" for item in material.others]
        result.append(say("other_tables", name=material.table.name, names=listed(names, 5)))
    return list(dict.fromkeys([*result, *_method(material.findings)]))


def _told(table, note):
    """As an assumption of the run, if it is one; of tables put together nobody knows whose it was."""
    assumed = note.code in MATERIAL and table.note("combined") is None
    return sentence(table, note, LANGUAGE) if assumed else note.text(LANGUAGE)


def _method(found):
    """What was assumed on the way."""
    if found.overview.missing:
        yield say("not_filled")
    if found.outcome is not None:
        yield say(f"outcome_{found.outcome.why}", outcome=outcome_name(found.outcome))
    negative = [item for item in found.totals if item.additive and item.negative]
    if negative:
        first = negative[0]
        yield say(
            "negatives", measure=first.measure, negative=money(first.negative), total=money(first.total)
        )
    huge = [
        item
        for item in found.totals
        if item.additive and abs(item.largest) > 0.03 * abs(item.total) and item.total
    ]
    if huge and found.overview.rows >= 100:
        yield say(
            "largest", measure=huge[0].measure, largest=money(huge[0].largest), total=money(huge[0].total)
        )
    amounts = found.columns_with("measure")
    for item in found.distributions:
        if item.column in amounts and 0 < item.zeros < 0.05 * item.n and item.minimum >= 0:
            yield say("zeros", column=item.column, values=plural(item.zeros, "value"))
            break
