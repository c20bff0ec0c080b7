"""EXPLAIN: what the next refresh of a table would do, or the first one of a definition."""

from __future__ import annotations

from headwater.core.warehouse import DEFAULT
from headwater.lake.site import Site
from headwater.refresh.compute import Compute
from headwater.refresh.definition_errors import definition_errors
from headwater.refresh.explain import Explanation, explain_definition, explain_table
from headwater.refresh.find import find_dynamic
from headwater.service.interruptible import interruptible
from headwater.service.wiring import bind_driver
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.statements import ObjectName


def explain(site: Site, compute: Compute, target: ObjectName | CreateDynamicTable) -> Explanation:
    """The plan for a table, or for a definition that is checked but not created, on the driver of its warehouse."""
    return interruptible(compute.cancellation, lambda: _explain(site, compute, target))


def _explain(site: Site, compute: Compute, target: ObjectName | CreateDynamicTable) -> Explanation:
    if not isinstance(target, CreateDynamicTable):
        with site.reader() as reader:
            table = find_dynamic(reader, target)
        with definition_errors(site, table):
            return explain_table(site, compute, target)
    bind_driver(compute.warehouses, target.properties.warehouse or DEFAULT)
    return explain_definition(site, compute, target)
