"""Job: the verbs of the product, one file each, shared by every surface; wires the packages together.
In: names, SQL and DataFrames of users. Out: results, DataFrames, errors of `core.errors`.
Never: rules of its own that another package should know.
"""
