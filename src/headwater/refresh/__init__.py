"""Job: one refresh from start to end: choose a snapshot, plan, stage through the engine, commit data and frontier together.
In: a database, an Engine that runs queries, the tables to refresh. Out: a RefreshRecord for each.
Never: imports Spark, or decides when to refresh.
"""
