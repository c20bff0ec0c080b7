"""Job: keep a lake's tables fresh: look at what is due, run passes of refreshes, tell others what happens.
In: a Refresher, jobs to run beside refreshes, signals. Out: refreshes, heartbeats, alerts, metrics, log lines.
Never: imports an engine, or decides what a table should contain.
"""
