"""One Spark session for the run."""
