"""Measurements. Each file prints what it measured; docs/performance.md holds the figures."""
