"""Job: random DuckLake histories, read by DuckDB and by Headwater, and compared at every snapshot."""
