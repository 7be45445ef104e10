"""What would lead an analysis of this table astray: `traps.of(table)`, as notes with a sentence each."""

import traps_amounts
import traps_codes
import traps_rows
import traps_time
from table_columns import Column

MAX_COLUMNS = 200
"""Of a wider table (measurements, genes) the first ones are looked at."""


def of(table, columns=None):
    """Notes beside those of reading. `columns` are its `Column`s, when they are there already."""
    names = table.frame.columns[:MAX_COLUMNS]
    columns = columns[:MAX_COLUMNS] if columns else [Column.of(table.frame[name]) for name in names]
    looks = [traps_rows, traps_codes, traps_amounts]
    if table.note("sampled") is None:  # what a sample begins and ends with are no ends of the data
        looks.append(traps_time)
    return [note for look in looks for note in look.notes(table, columns)]
