"""Job: operations and rows of our own tables become one lake snapshot in one transaction, or a precise refusal.
In: operations of `lake.operations`, a base snapshot, guards. Out: Committed, CommitConflict, CommitRejected or CommitUnknown.
Never: the making of data files.
"""
