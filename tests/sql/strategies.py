"""Random parts of statements."""

from __future__ import annotations

from hypothesis import strategies as st

from headwater.sql import statements as s

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
names = texts.filter(bool) | st.sampled_from(["a", "select", 'q"q', "a.b", "../x", "Ünï", "`", "é\n"])
schemas = st.builds(s.SchemaName, names, st.none() | names)
objects = st.builds(s.ObjectName, names) | st.builds(s.ObjectName, names, names, st.none() | names)
flags = st.booleans()
transforms = st.sampled_from(["identity", "year", "month", "day", "hour"]) | st.integers(1, 999).map(
    "bucket({})".format
)
partition_keys = st.lists(st.builds(s.PartitionKey, names, transforms), max_size=3).map(tuple)
queries = st.sampled_from(
    ["SELECT 1", "FROM t", "VALUES (1), (2)", "WITH q AS (SELECT ';' AS x) SELECT x -- c\nFROM q"]
)
