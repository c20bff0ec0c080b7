"""Job: loaded tables: their configs, which files hold which days, and which periods are compacted.
In: the text of YAML configs, names of files, days. Out: frozen configs, paths, periods.
Never: run SQL of its own, or guess what a config leaves open.
"""
