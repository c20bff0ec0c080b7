"""Job: DuckLake as values: tables and files at a snapshot, changes in a range, the rows of a new snapshot.
In: a connection of `store`, Parquet files. Out: frozen values (`lake.values`), rows for the catalog.
Never: Spark, DuckDB, a transaction of its own.
"""
