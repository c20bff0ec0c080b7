"""Scripts as a user would run them."""
