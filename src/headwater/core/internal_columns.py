"""Columns that queries of a refresh add to rows; no table has them."""

# The data file of a row of the refreshed table, and the row's position in it.
FILE_ID = "__hw_file"
POSITION = "__hw_position"
# The id of a source row.
ROW_ID = "__hw_rowid"
