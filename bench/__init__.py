"""Measurements. Each file prints what it measured; bench/results/ holds the figures."""
