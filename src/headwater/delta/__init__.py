"""Job: decide how a dynamic table is refreshed.
In: what changed and what is known of the table, as values. Out: a RefreshPlan: action, strategy, reason.
Never: reads a database, or runs anything.
"""
