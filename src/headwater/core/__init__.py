"""Job: values that all packages use: names, types, schemas, errors, clock.
In: nothing. Out: frozen values.
Never: input or output, a database, an engine.
"""
