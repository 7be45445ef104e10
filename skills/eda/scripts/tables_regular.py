"""A text table whose rows are all as wide as its header, parsed in one go instead of row by row."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

WIDEST = 200
"""Columns above which a call for each costs more than rows read one by one."""
BLOCK = 4 * 1024 * 1024
"""Bytes that are parsed at once; a row longer than this is left to the reader of single rows."""


def regular(path, separator, *, quotes=True):
    """What `tables_shape.build` takes as `whole`: from (width, rows to skip) to columns or None."""
    return lambda width, skip: columns(path, separator, width, skip, quotes=quotes)


def columns(path, separator, width, skip, *, quotes=True):
    """Columns of a UTF-8 file as dictionary arrays, without its first `skip` rows.

    None when a row is longer or shorter than `width`, blank, or of one filled cell, or where null bytes are
    among the letters: those need a look.
    """
    if skip > 1 or width > WIDEST:  # titles and blank lines above a header are not counted alike everywhere
        return None
    names = [str(index) for index in range(width)]
    try:
        table = csv.read_csv(
            path,
            read_options=csv.ReadOptions(
                column_names=names, skip_rows_after_names=skip, use_threads=False, block_size=BLOCK
            ),
            parse_options=csv.ParseOptions(
                delimiter=separator,
                quote_char='"' if quotes else False,
                newlines_in_values=quotes,
                ignore_empty_lines=False,
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    found = [column.combine_chunks().dictionary_encode() for column in table.columns]
    found = [column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column for column in found]
    if any(pc.any(pc.match_substring(column.dictionary, "\x00")).as_py() for column in found):
        return None
    fewest = 2 if width >= 3 else 1
    if not len(table) or int(_filled(found).min()) < fewest:
        return None
    return found


def _filled(columns):
    """Cells with more than blanks in them, by row."""
    count = np.zeros(len(columns[0]), dtype=np.int32)
    for column in columns:
        filled = pc.not_equal(pc.utf8_trim_whitespace(column.dictionary), "").to_numpy(zero_copy_only=False)
        if filled.all():
            count += 1
        else:
            count += filled[column.indices.to_numpy()]
    return count
