"""Job: run plain SQL on the lake with DuckDB in a separate process; writers take Headwater's locks.
In: statements of a script, a Database, a check for dynamic tables. Out: answers with Arrow tables or row counts.
Never: duckdb in this process, a password in SQL that can fail, a refresh.
"""
