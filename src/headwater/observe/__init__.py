"""Job: let people and machines see what workers do: metrics, log lines, alerts by webhook.
In: events, and a look at the lake as frozen values. Out: a page for Prometheus, lines, HTTP requests.
Never: changes the lake, or lets what listens hurt who works.
"""
