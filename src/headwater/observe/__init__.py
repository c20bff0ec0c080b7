"""Job: report what workers do, as metrics, log lines and alerts by webhook.
In: events, and a look at the lake as frozen values. Out: a page for Prometheus, lines, HTTP requests.
Never: changes the lake, or lets a failing subscriber disturb the worker.
"""
