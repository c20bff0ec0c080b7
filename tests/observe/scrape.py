"""What /metrics says."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families


class Page:
    """The samples of one scrape, found by name and the values of their labels, in any order."""

    def __init__(self, address: str) -> None:
        with urlopen(f"{address}/metrics", timeout=60) as answer:
            self.families = list(text_string_to_metric_families(answer.read().decode()))
        self._samples = {
            (sample.name, *sorted(sample.labels.values())): sample.value
            for family in self.families
            for sample in family.samples
        }

    def __call__(self, name: str, *labels: str) -> float | None:
        return self._samples.get((name, *sorted(labels)))

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._samples)

    @property
    def names(self) -> frozenset[str]:
        """All names that a query may ask for, also of metrics that have no sample yet."""
        found = {sample.name for family in self.families for sample in family.samples}
        for family in self.families:
            endings = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}.get(family.type, ("",))
            found |= {f"{family.name}{ending}" for ending in endings}
        return frozenset(found)
