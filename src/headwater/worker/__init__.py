"""Job: keep a lake's tables fresh: find what is due, run passes of refreshes, publish events.
In: a Refresher, jobs to run beside refreshes, signals. Out: refreshes, heartbeats, alerts, metrics, log lines.
Never: imports an engine, or decides what a table should contain.
"""
