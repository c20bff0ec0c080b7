"""Job: keep a lake tidy: so far, find files that no snapshot shows.
In: a lake. Out: what was found or done.
Never: change what any snapshot reads.
"""
