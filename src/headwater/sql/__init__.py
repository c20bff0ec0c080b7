"""Job: parse SQL text into statements and render it: Headwater's DDL on top of sqlglot's tokens.
In: text and its dialect. Out: frozen statements (`sql.statements`), canonical text.
Never: a catalog, a database, an engine; names are resolved later.
"""
