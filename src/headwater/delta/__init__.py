"""Job: decide how a dynamic table is refreshed.
In: the changes of the sources and the state of the table, as values. Out: a RefreshPlan: action, strategy, reason.
Never: reads a database, or runs anything.
"""
