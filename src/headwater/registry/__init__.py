"""Job: remember dynamic tables: definitions, frontiers and versions, leases, refresh history, requests, workers, alerts.
In: a connection to the lake's own database. Out: frozen values, and statements that a commit can carry.
Never: decides what to refresh, or touches the tables of DuckLake.
"""
