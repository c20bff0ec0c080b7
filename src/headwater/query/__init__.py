"""Job: plain SQL on the lake, run by DuckDB in a process of its own; writers queue at our locks.
In: pieces of a script, a Database, what must not be written. Out: answers with Arrow tables or affected counts.
Never: duckdb in this process, a password in SQL that can fail, a refresh.
"""
