"""Use the Spark driver of another process: this process plans and commits, the other one's Java computes."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from py4j.finalizer import ThreadSafeFinalizer  # type: ignore[import-untyped]
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession


class RemoteDriver(Protocol):
    """A running driver of another process; `tag` marks the jobs of this process there."""

    @property
    def port(self) -> int:
        """The port of its gateway on this machine."""

    @property
    def secret(self) -> str:
        """The gateway's secret."""

    @property
    def tag(self) -> str:
        """A text that no other process uses."""

    def poll(self) -> int | None:
        """None while the other process runs, as of `subprocess.Popen`."""


def attach(driver: RemoteDriver) -> SparkSession:
    """A session in the driver."""
    with _environment(PYSPARK_GATEWAY_PORT=str(driver.port), PYSPARK_GATEWAY_SECRET=driver.secret):
        gateway = launch_gateway()  # type: ignore[no-untyped-call]
    gateway.proc = driver
    spark = gateway.jvm.org.apache.spark
    context = spark.api.java.JavaSparkContext.fromSparkContext(spark.SparkContext.getOrCreate())
    with _interrupt_handler_kept():
        attached = SparkContext(gateway=gateway, jsc=context, conf=SparkConf(_jconf=context.getConf()))
    atexit.register(_release_objects, gateway)
    return SparkSession(attached)


@contextmanager
def _environment(**added: str) -> Iterator[None]:
    """Set variables of the environment while the block runs."""
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


@contextmanager
def _interrupt_handler_kept() -> Iterator[None]:
    """Keep the handler of SIGINT: that of PySpark would cancel the jobs of all processes."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _release_objects(gateway: Any) -> None:
    """Release this process's Java objects, which the driver would hold until it ends."""
    client = gateway._gateway_client
    held = [each for reference in list(ThreadSafeFinalizer.finalizers.values()) if (each := reference()) is not None]
    ids = {each._target_id for each in held} | {id for _client, id in list(client.finalizer_deque)}
    with suppress(Py4JError, OSError):
        # Other ids than these stand for objects of the gateway itself.
        for id in (id for id in ids if id.startswith("o")):
            client.garbage_collect_object(id, enqueue=False)
