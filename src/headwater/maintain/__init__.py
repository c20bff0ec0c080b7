"""Job: keep a lake tidy: compact files, expire snapshots, delete files that nothing needs, find those that nothing knows.
In: a lake, and what writes files anew. Out: what was found or done.
Never: change what a snapshot that stays reads.
"""
