"""Job: one SQL database, SQLite or PostgreSQL: connect, read consistently, write under the lake's lock.
In: a URL or a path. Out: SQLAlchemy connections inside transactions; errors of `core.errors`.
Never: depends on the contents of tables.
"""
