"""Whoever listens hears everything, and hurts nobody."""

from __future__ import annotations

from collections import Counter

from headwater.core.events import Event
from headwater.observe.publish import Publisher
from tests.fakes.log import FakeLog
from tests.observe import happened as h


def test_a_subscriber_that_fails_is_logged_once_in_a_while_and_the_others_hear_all() -> None:
    lines, counted, heard = FakeLog(), Counter[str](), list[Event]()

    def broken(event: Event) -> None:
        raise ZeroDivisionError(event)

    publish = Publisher(lines, lambda name, events: counted.update({name: events}))
    publish.subscribe("broken", broken)
    publish.subscribe("list", heard.append)
    for event in h.EVERY:
        publish(event)
    assert tuple(heard) == h.EVERY
    assert counted == Counter(broken=len(h.EVERY))
    (line,) = lines.of("subscriber failed")
    assert (line["subscriber"], line["times"]) == ("broken", 1)
