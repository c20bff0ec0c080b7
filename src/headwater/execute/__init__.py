"""Job: run on Spark what other packages have planned: read tables and their changes, stage new files.
In: frozen values of `lake` and `core`. Out: DataFrames, and `WrittenFile`s that no snapshot shows yet.
Never: a catalog, a commit, a decision.
"""
