"""Why a file could not be read as a table: a small tree, each with a plain sentence and its facts.

TableError
    UnknownFile        no such file among the inputs
    EmptyFile          0 bytes, or nothing but blank cells
    HeaderOnly         column names and not one row
    NotATable          another kind of file, or prose
    PasswordProtected  the content is encrypted
    TooLarge           over the limit, packed or unpacked
    BrokenFile         begins like the format it claims and cannot be read
    UnreadableFile     a reader failed in a way that nobody foresaw
"""


class TableError(Exception):
    """{file} cannot be read as a table."""

    code = "table_error"

    def __init__(self, file, **facts):
        self.file = file
        self.facts = facts
        super().__init__(file)

    def __str__(self):
        shown = {key: ", ".join(map(str, v)) if isinstance(v, list) else v for key, v in self.facts.items()}
        return (type(self).__doc__ or "").format(file=self.file, **shown)


class UnknownFile(TableError):
    """There is no input file {file}. There are: {available}."""

    code = "unknown_file"


class EmptyFile(TableError):
    """{file} is empty: there is no data in it ({size} bytes)."""

    code = "empty_file"


class HeaderOnly(TableError):
    """{file} has a header and no rows. Its columns: {columns}."""

    code = "header_only"


class NotATable(TableError):
    """{file} is not a table: it is {kind}."""

    code = "not_a_table"


class PasswordProtected(TableError):
    """{file} is protected with a password. Save it without one and send it again."""

    code = "password_protected"


class TooLarge(TableError):
    """{file} is too large: {size} {unit}, the limit is {limit}."""

    code = "too_large"


class BrokenFile(TableError):
    """{file} looks like {kind} and is damaged: {reason}."""

    code = "broken_file"


class UnreadableFile(TableError):
    """{file} could not be read ({reason}). It may be damaged."""

    code = "unreadable_file"
