"""Job: which dynamic tables are due and why, in what order they run, and when failed ones are retried.
In: the state of every table, the present moment. Out: a `Pass` with reasons, and the time of the next question.
Never: a clock of its own, a refresh, a rule of how a refresh is computed.
"""
