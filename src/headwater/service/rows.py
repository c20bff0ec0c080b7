"""Rows of tables through Spark: read, follow, append, overwrite, delete, update."""
