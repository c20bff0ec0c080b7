"""Job: turn a bound query into a relational plan, and plans into SQL.
In: SQL over named scans with their columns. Out: a tree of frozen nodes, or the reason why there is none; SQL text.
Never: reads a database, or handles changes.
"""
