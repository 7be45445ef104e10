"""What reading took for granted, told to the library that collects assumptions, where there is one."""

MATERIAL = frozenset(
    (
        "ambiguous_dates",
        "ambiguous_numbers",
        "broken_lines",
        "excel_serials",
        "footnotes",
        "header_row",
        "formulas_without_values",
        "joined_header",
        "no_header",
        "ragged_rows",
        "row_label",
        "sampled",
        "time_zone",
        "title_rows",
        "two_digit_years",
        "unbalanced_quote",
    )
)
"""Notes after which the figures could be others, had the file been read in another way."""
MOST = 6
"""Of one file: a list that nobody reads tells nothing."""


def assume(tables):
    """Each material note once, as "sales.csv: …", in the language of the run."""
    try:
        import facts
        import facts_run
    except ImportError:
        return
    language = facts_run.current().language
    said = [
        sentence(table, note, language) for table in tables for note in table.notes if note.code in MATERIAL
    ]
    for told in list(dict.fromkeys(said))[:MOST]:
        facts.assume(told)


def sentence(table, note, language):
    """An assumption word for word: who says it so elsewhere does not tell it twice."""
    return f"{table.file}: {note.text(language)}"
