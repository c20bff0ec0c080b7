"""The law of each operator."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from headwater.delta import (
    aggregate,
    expand,
    explode,
    filter,
    join,
    project,
    scan,
    set_operation,
    top_n,
    union,
    window,
)
from headwater.plan import nodes

LAWS: Mapping[type, Any] = MappingProxyType(
    {
        nodes.Scan: scan.delta,
        nodes.Values: lambda _node, _derivation: None,
        nodes.Project: project.delta,
        nodes.Filter: filter.delta,
        nodes.Join: join.delta,
        nodes.UnionAll: union.delta,
        nodes.SetOperation: set_operation.delta,
        nodes.Aggregate: aggregate.delta,
        nodes.Expand: expand.delta,
        nodes.Window: window.delta,
        nodes.TopN: top_n.delta,
        nodes.Explode: explode.delta,
    }
)

# The functions that compute the affected keys of operators with a key.
KEYED: Mapping[type, Any] = MappingProxyType(
    {
        nodes.Aggregate: aggregate.touched,
        nodes.SetOperation: set_operation.touched,
        nodes.TopN: top_n.touched,
        nodes.Window: window.touched,
    }
)
