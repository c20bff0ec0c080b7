"""Job: maintain a lake: compact files, expire snapshots, delete files that are no longer needed, find orphaned files.
In: a lake, and a compactor. Out: results of the steps.
Never: change the contents of a snapshot that remains.
"""
