"""Job: which dynamic tables are due and why, in what order they run, and when failed ones are retried.
In: the state of every table, the present moment. Out: a `Pass` with reasons, and the time of the next question.
Never: reads the clock, or decides how a refresh is computed.
"""
