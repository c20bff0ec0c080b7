"""Job: the words everyone uses: names, types, schemas, snapshots, errors, clock.
In: nothing. Out: frozen values.
Never: input or output, a database, an engine.
"""
