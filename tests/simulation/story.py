"""What happens in a world: workers, writers and people on one lake, and all that goes wrong while they are at it."""

from __future__ import annotations

import random
import secrets
import shutil
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from headwater.core import crash
from headwater.core.errors import HeadwaterError
from headwater.lake import storage
from headwater.maintain import expire, orphans
from headwater.maintain.choose_files import Policy
from headwater.maintain.steps import Rules
from headwater.refresh import lease_watch, recover
from headwater.refresh.run import Refresher
from headwater.registry import leases
from headwater.service.lake import Lake
from headwater.service.refresh import refresh
from headwater.service.wiring import table_compactor
from headwater.service.worker_jobs import Plan, worker_jobs
from headwater.sql.parse_names import parse_name
from headwater.store.database import LostRace, OutcomeUnknown
from headwater.worker import heartbeat, loop, request_refresh
from headwater.worker.cancel import cancel
from tests import arrow_lake
from tests.simulation.engine import SimulatedEngine
from tests.simulation.invariants import Invariants
from tests.simulation.lake import BASES, DYNAMIC, copied, opened, playing
from tests.simulation.plans import PlannedBench
from tests.simulation.store import Faults, File, SimulatedDatabase
from tests.simulation.world import Killed, Process, Told, World, WorldClock

POLL = 15.0
# Seconds of trouble, and of peace in which everything must come right again.
TROUBLE, PEACE = 90.0, 1800.0


class Log:
    """Counts what workers say."""

    def __init__(self, seen: Counter[str]) -> None:
        self._seen = seen

    def info(self, event: str, **facts: object) -> None:
        if event == "refresh":
            told = facts.get("action") if facts["state"] == "SUCCEED" else facts.get("reason") or facts.get("code")
            event = f"refresh {facts['state']} {str(told).split(' at snapshot')[0]}"
        self._seen[event] += 1

    warning = error = info


class Stage:
    """A place for one world after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bench = PlannedBench()
        self.file = File(folder / "catalog.sqlite")
        # What happened in the last world.
        self.told: list[str] = []

    def live_through(self, seed: int, template: Path, tables: int) -> Counter[str]:
        """One world from its beginning to its end; what it came through, counted."""
        copied(template, self.folder)
        story = Story(seed, self, tables)
        try:
            return story.run()
        finally:
            self.told = story.world.told
            shutil.rmtree(self.folder)


class Story:
    def __init__(self, seed: int, stage: Stage, tables: int) -> None:
        self.world = World(seed)
        self._folder = stage.folder
        self._file = stage.file
        self._file.begin(self.world)
        self._names = list(DYNAMIC)[:tables]
        chosen = self.world.random
        # Most worlds have some kinds of trouble and not others: what is rare together is then met alone.
        kinds = {
            "kill": 0.004,
            "crash": 0.02,
            "cut": 0.01,
            "lost_race": 0.05,
            "unknown": 0.03,
            "freeze": 0.004,
            "engine": 0.1,
            "disk": 0.1,
        }
        self.faults = Faults(**{name: rate * chosen.choice((0, 0, 1, 3)) for name, rate in kinds.items()})
        self._engine = SimulatedEngine(self.world, self.faults, stage.bench)
        self.invariants = Invariants(self.world, stage.file.database, f"{stage.folder}/data/", self._names)
        self._numbers = iter(range(1_000_000))
        kept = Rules(retention_days=20 / 86_400, grace=timedelta(seconds=30), policy=Policy(min_files=2))
        self._upkeep = Plan(chosen.choice((0.0, 20.0, 60.0)), kept, first=10.0)

    def run(self) -> Counter[str]:
        with self._in_place():
            try:
                return self._run()
            except BaseException as error:
                error.add_note(self._tale())
                raise
            finally:
                self.world.end()

    def _run(self) -> Counter[str]:
        world, draw = self.world, self.world.random
        keeper = Process("keeper")
        for number in range(draw.randint(1, 3)):
            world.spawn(keeper, f"worker{number}", lambda number=number: self._employ(keeper, f"w{number}"))
        for name in BASES:
            world.spawn(keeper, name, lambda name=name: self._write(name))
        world.spawn(keeper, "person", self._ask)
        world.run(lambda: world.now >= TROUBLE, TROUBLE)
        world.tell(f"peace after {self.faults}")
        for kind in vars(self.faults):
            setattr(self.faults, kind, 0.0)
        assert world.run(self.invariants.quiet, PEACE), "it does not come to rest"
        self.invariants.at_rest()
        return self.invariants.seen

    # Who acts

    def _employ(self, keeper: Process, name: str) -> None:
        """Keep a worker going: one that dies, or ends, is followed by another."""
        world = self.world
        while True:
            process = Process(f"{name}.{next(self._numbers)}", skew=world.random.choice((0.0, 0.0, -90.0, 600.0)))
            lake = self._lake(process)
            actor = world.spawn(process, "main", lambda p=process, at=lake: self._serve(p, at))
            if world.chance(0.2):
                world.wait(world.random.uniform(10.0, 120.0), lambda a=actor: a.ended)
                process.told_to_stop = True
            world.wait(1e9, lambda a=actor: a.ended)
            self.invariants.seen["deaths of workers" if process.dead else "ends of workers"] += 1
            process.dead = True
            world.wait(world.random.uniform(0.5, 30.0))

    def _serve(self, process: Process, lake: Lake) -> None:
        # The database may be out of reach when it starts; then a supervisor starts another.
        with suppress(HeadwaterError, LostRace, OutcomeUnknown):
            refresher, log = Refresher(lake.site, lake.compute), Log(self.invariants.seen)
            jobs = worker_jobs(lake.site, table_compactor(lake.site, lake.warehouses), self._upkeep)
            loop.serve(refresher, log, Told(self.world, process), loop.WorkerOptions(poll_interval=POLL), jobs)

    def _write(self, name: str) -> None:
        """Change a base table again and again, until the trouble is over."""
        world, draw = self.world, self.world.random
        while world.now < TROUBLE:
            process = Process(f"writer-{name}.{next(self._numbers)}")
            lake = self._lake(process)
            actor = world.spawn(process, "main", lambda at=lake: self._change(at, name))
            world.wait(1e9, lambda a=actor: a.ended)
            world.wait(draw.uniform(5.0, 60.0))

    def _change(self, lake: Lake, name: str) -> None:
        draw = self.world.random
        new = [(draw.choice((0, 1, 2, None)), draw.randint(0, 9)) for _ in range(draw.randint(0, 3))]
        with suppress(HeadwaterError):
            if new:
                arrow_lake.append(lake, name, new)
            held = arrow_lake.live_positions(lake, name)
            file = draw.choice(sorted(held)) if held else None
            if file is not None and held[file] and self.world.chance(0.5):
                arrow_lake.delete(lake, name, {file: [draw.choice(held[file])]})

    def _ask(self) -> None:
        """Refresh a table by hand now and then, or cancel its refresh."""
        world, draw = self.world, self.world.random
        while world.now < TROUBLE:
            world.wait(draw.uniform(10.0, 120.0))
            process = Process(f"person.{next(self._numbers)}")
            lake = self._lake(process)
            name = draw.choice(self._names)
            act = self._cancel if world.chance(0.3) else self._refresh
            world.spawn(process, "main", lambda act=act, at=lake, name=name: act(at, name))

    def _refresh(self, lake: Lake, name: str) -> None:
        with suppress(HeadwaterError):
            refresh(lake.site, lake.compute, [parse_name(name)])
            self.invariants.seen["refreshes by hand"] += 1

    def _cancel(self, lake: Lake, name: str) -> None:
        with suppress(HeadwaterError):
            self.invariants.seen["cancelled" if cancel(lake.site, parse_name(name)) else "nothing to cancel"] += 1

    # What they act on

    def _lake(self, process: Process) -> Lake:
        world = self.world
        database = SimulatedDatabase(world, process, self.faults, self._file, self.invariants.check)
        return opened(database, f"{self._folder}/data/", WorldClock(world, process))

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        """Chance, names and the way to the disk are the world's while it lasts."""
        world, draw = self.world, self.world.random
        real_delete = storage.delete

        def delete(path: str) -> None:
            if world.process.dead:
                raise Killed
            self.invariants.deleting(path)
            real_delete(path)

        def crash_point(name: str) -> None:
            self.invariants.seen[f"at {name}"] += 1
            if world.chance(self.faults.crash):
                world.tell(f"crash at {name}")
                world.kill(world.process)

        places: list[tuple[object, str, object]] = [
            (uuid, "uuid4", lambda: uuid.UUID(int=draw.getrandbits(128), version=4)),
            (secrets, "token_hex", lambda count: f"{draw.getrandbits(count * 8):0{count * 2}x}"),
            (random, "uniform", draw.uniform),
            (storage, "delete", delete),
            (leases, "holder", lambda: world.process.name),
            (leases, "is_dead", world.is_dead),
            # Looking less often changes nothing but how long a world takes.
            (request_refresh, "PAUSE", 5.0),
            (recover, "PAUSE", 5.0),
            (heartbeat, "BEAT", 5.0),
            (lease_watch, "BEAT", 5.0),
            (lease_watch, "LOOKS", 1),
            (expire, "YOUNGEST", timedelta(0)),
            # Files have the time of the machine, which is another.
            (orphans, "find_orphans", lambda *_arguments: ()),
        ]
        before = [(place, name, getattr(place, name)) for place, name, _ in places]
        for place, name, stand_in in places:
            setattr(place, name, stand_in)
        crash.tell(crash_point)
        try:
            with playing(self._engine):
                yield
        finally:
            crash.tell(None)
            for place, name, value in before:
                setattr(place, name, value)

    def _tale(self) -> str:
        told = [f"seed {self.world.seed}", *self.world.told[-60:], *self.invariants.described()]
        return "\n".join(told)
