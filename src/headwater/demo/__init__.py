"""Job: show what Headwater does: a shop that changes, dynamic tables over it, and a comparison with recomputation.
In: a folder, a number of seconds. Out: lines for people, and whether all tables equal their queries.
Never: used by another package than the command line.
"""
