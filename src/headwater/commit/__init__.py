"""Job: commit operations and rows of Headwater's tables as one lake snapshot in one transaction, or raise a precise error.
In: operations of `lake.operations`, a base snapshot, guards. Out: Committed, CommitConflict, CommitRejected or CommitUnknown.
Never: write data files.
"""
