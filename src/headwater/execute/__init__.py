"""Job: run on Spark what other packages have planned: read tables and their changes, stage new files.
In: frozen values of `lake` and `core`. Out: DataFrames, and `WrittenFile`s that are not yet in the catalog.
Never: a catalog, a commit, a decision.
"""
