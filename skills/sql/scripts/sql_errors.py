"""Why a query gives nothing; each message says what to write instead.

SqlError
├── NotASelect     not one SELECT over the tables
├── UnknownTable   a table or a column that is not there
└── TypedNumbers   a column holds nothing but numbers that the query types
"""


class SqlError(ValueError):
    """A query that cannot be answered."""


class NotASelect(SqlError):
    """Not one SELECT over the tables."""


class UnknownTable(SqlError):
    """A table or a column that is not there."""


class TypedNumbers(SqlError):
    """A column holds nothing but numbers that the query types."""
