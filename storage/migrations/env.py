"""How Alembic runs the migrations: on the connection, and in the transaction, that the program gives it."""

from alembic import context

from storage.tables import Table

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Table.metadata,
    # SQLite cannot alter a column: batch mode copies the table instead.
    render_as_batch=True,
    transactional_ddl=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
