"""Read the YAML config of a loaded table."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from pydantic import Field

from headwater.core.freshness import Cron
from headwater.core.names import DEFAULT_SCHEMA, TableName
from headwater.core.yaml_document import Path
from headwater.loads.config_text import Block, ConfigText, Partial
from headwater.loads.file_pattern import DEFAULT_DATE_FORMAT, FilePattern, PatternInvalid, check_relative_path
from headwater.loads.period import PeriodType
from headwater.schedule.cron_text import CRON_HINT, CronInvalid, parse_cron

SchemaPolicy = Literal["freeze", "evolve", "discard"]
DateMismatch = Literal["warn", "reject", "fail"]
FileFormat = Literal["csv", "json", "parquet"]
# Names as both Python and Java know them.
ENCODINGS = {
    **dict.fromkeys(("utf-8", "utf8"), "UTF-8"),
    **dict.fromkeys(("latin-1", "latin1", "iso-8859-1"), "ISO-8859-1"),
    **dict.fromkeys(("latin-9", "iso-8859-15"), "ISO-8859-15"),
    **dict.fromkeys(("ascii", "us-ascii"), "US-ASCII"),
    **{name: name.upper() for name in ("utf-16", "utf-16le", "utf-16be")},
    **{f"{prefix}{page}": f"windows-{page}" for page in (1250, 1251, 1252) for prefix in ("windows-", "cp")},
}
_NAME = re.compile(r"(?:([A-Za-z_][A-Za-z0-9_]*)\.)?([A-Za-z_][A-Za-z0-9_]*)")
_SIZE = re.compile(r"(\d{1,12})\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)?", re.IGNORECASE | re.ASCII)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)\s*%", re.ASCII)
_OUTPUTS = {
    PeriodType.DAILY: ("{date}.parquet", "year={year}/month={month}/day={day}/data.parquet"),
    PeriodType.WEEKLY: ("{year}-W{week}.parquet", "year={year}/week={week}/data.parquet"),
    PeriodType.MONTHLY: ("{year}-{month}.parquet", "year={year}/month={month}/data.parquet"),
    PeriodType.YEARLY: ("{year}.parquet", "year={year}/data.parquet"),
}


@dataclass(frozen=True, slots=True)
class Storage:
    """Where the table's files go: `base_path` as written, below the folder of the table's schema."""

    base_path: str
    type: str = "local"
    format: str = "parquet"

    @property
    def folder(self) -> str:
        """The path without `.` and with one slash at its end."""
        return "/".join(part for part in self.base_path.split("/") if part not in ("", ".")) + "/"


@dataclass(frozen=True, slots=True)
class FileNaming:
    """How the files of loads are named."""

    strategy: Literal["flat", "hive"]
    pattern: FilePattern
    date_format: str


@dataclass(frozen=True, slots=True)
class Trigger:
    """When periods are compacted: on request, or at the times of a schedule, `delay_days` after a period's end."""

    type: Literal["manual", "schedule"]
    schedule: Cron | None
    delay_days: int


@dataclass(frozen=True, slots=True)
class CompactionStrategy:
    """What files are compacted into; `lookback_months` counts ready periods of any type, None is all."""

    type: PeriodType
    output_pattern: FilePattern
    delete_source: bool
    lookback_months: int | None
    target_file_size: int | None


@dataclass(frozen=True, slots=True)
class Compaction:
    """Whether, when and how the table's files are compacted."""

    enabled: bool
    trigger: Trigger
    strategy: CompactionStrategy


@dataclass(frozen=True, slots=True)
class Ingestion:
    """How files are read; a `format` of None is that of each file's name."""

    dataset_config: str | None
    source: FilePattern | None
    schedule: Cron | None
    schema: SchemaPolicy
    encoding: str
    max_rejects: Decimal
    on_date_mismatch: DateMismatch
    format: FileFormat | None
    delimiter: str
    header: bool


@dataclass(frozen=True, slots=True)
class TableConfig:
    """A config, with its text and the path it was read from; `notes` says which keys have no effect."""

    path: str
    text: str
    name: str
    description: str | None
    storage: Storage
    partitioning: FileNaming
    compaction: Compaction
    ingestion: Ingestion
    notes: tuple[str, ...]

    @property
    def table(self) -> TableName:
        """The table, in the default schema unless the name has one."""
        schema, _, name = self.name.rpartition(".")
        return TableName(schema or DEFAULT_SCHEMA, name)

    @property
    def content_hash(self) -> str:
        """The SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class _Storage(Block):
    type: Literal["local"] = Field(default="local", description="Use local.")
    base_path: str | None = Field(default=None, description="Write a relative path such as data/tables/sales/.")
    format: Literal["parquet"] = Field(default="parquet", description="Use parquet.")


class _Partitioning(Block):
    strategy: Literal["flat", "hive"] = Field(default="flat", description="Use flat or hive.")
    pattern: str | None = Field(default=None, description="Write a pattern such as {date}.parquet.")
    date_format: str = Field(default=DEFAULT_DATE_FORMAT, description="Write a format such as %Y-%m-%d, in quotes.")


class _Trigger(Block):
    type: Literal["manual", "schedule"] | None = Field(default=None, description="Use manual or schedule.")
    schedule: str | None = Field(default=None, description=CRON_HINT)
    delay_days: int = Field(default=0, ge=0, le=36_500, description="Write a number of days from 0 to 36500.")


class _Strategy(Block):
    type: Literal["daily", "weekly", "monthly", "yearly"] = Field(
        default="monthly", description="Use daily, weekly, monthly or yearly."
    )
    output_pattern: str | None = Field(default=None, description="Write a pattern such as {year}-{month}.parquet.")
    delete_source: bool = Field(default=False, description="Use true or false.")
    lookback_months: int | None = Field(
        default=None, ge=1, le=36_500, description="Write a number of periods from 1 to 36500, or omit it for all."
    )
    target_file_size: int | str | None = Field(
        default=None, description="Write a size such as 512MB, or a number of bytes."
    )


class _Compaction(Block):
    enabled: bool = Field(default=True, description="Use true or false.")
    trigger: Partial[_Trigger] = Field(default=_Trigger(), description="Write type, schedule or delay_days below it.")
    strategy: Partial[_Strategy] = Field(default=_Strategy(), description="Write type or output_pattern below it.")


class _Ingestion(Block):
    dataset_config: str | None = Field(default=None, min_length=1, description="Write the path of a dataset config.")
    source: str | None = Field(default=None, description="Write a folder or glob such as in/sales_{date}.csv.")
    schedule: str | None = Field(default=None, description=CRON_HINT)
    schema_policy: SchemaPolicy = Field(default="freeze", alias="schema", description="Use freeze, evolve or discard.")
    encoding: str = Field(default="utf-8", description=f"Use one of {', '.join(ENCODINGS)}.")
    max_rejects: int | float | str = Field(default="10%", description="Write a share of the rows such as 0.1 or 10%.")
    on_date_mismatch: DateMismatch = Field(default="warn", description="Use warn, reject or fail.")
    format: FileFormat | None = Field(default=None, description="Use csv, json or parquet.")
    delimiter: str = Field(default=",", description='Write one character such as ";"; a tab is "\\t" in double quotes.')
    header: bool = Field(default=True, description="Use true or false.")


class _Table(Block):
    name: str = Field(description="Write a name of letters, digits and _, such as sales or shop.sales.")
    description: str | None = Field(default=None, description="Write a text.")
    storage: Partial[_Storage] = Field(default=_Storage(), description="Write type, base_path or format below it.")
    partitioning: Partial[_Partitioning] = Field(
        default=_Partitioning(), description="Write strategy or pattern below it."
    )
    compaction: Partial[_Compaction] = Field(
        default=_Compaction(), description="Write enabled, trigger or strategy below it."
    )
    ingestion: Partial[_Ingestion] = Field(default=_Ingestion(), description="Write dataset_config or source below it.")


def read_table_config(text: str, path: str) -> TableConfig:
    """The config of a text, with defaults for what it leaves out, or ConfigInvalid. The path names it in errors.

    >>> config = read_table_config("name: sales", "sales.yaml")
    >>> config.partitioning.pattern.text, config.compaction.strategy.type.value
    ('{date}.parquet', 'monthly')
    """
    config = ConfigText(text, "table config", path)
    read = config.validated(_Table)
    if not _NAME.fullmatch(read.name):
        raise config.refused(("name",), "Write a name of letters, digits and _, such as sales or shop.sales.")
    partitioning = _partitioning(config, read.partitioning)
    trigger = _trigger(config, read.compaction.trigger)
    notes: tuple[str, ...] = ()
    if trigger.type == "manual" and trigger.schedule is not None:
        notes = ("compaction.trigger.schedule has no effect while compaction.trigger.type is manual",)
    return TableConfig(
        path=path,
        text=text,
        name=read.name,
        description=read.description,
        storage=_storage(config, read),
        partitioning=partitioning,
        compaction=Compaction(
            read.compaction.enabled, trigger, _strategy(config, read.compaction.strategy, partitioning)
        ),
        ingestion=_ingestion(config, read.ingestion, partitioning.date_format),
        notes=notes,
    )


def _storage(config: ConfigText, read: _Table) -> Storage:
    at = ("storage", "base_path")
    if read.storage.base_path is None:
        return Storage(read.name.rpartition(".")[2] + "/")
    try:
        check_relative_path(read.storage.base_path)
    except PatternInvalid as wrong:
        raise config.refused(at, wrong.hint, f'"storage.base_path": {wrong.message}') from None
    storage = Storage(read.storage.base_path)
    if storage.folder == "/":
        raise config.refused(at, "Write a folder of the table's own such as data/tables/sales/.")
    return storage


def _partitioning(config: ConfigText, read: _Partitioning) -> FileNaming:
    at = ("partitioning", "pattern")
    _pattern(config, ("partitioning", "date_format"), "{date}.parquet", read.date_format)
    default = _OUTPUTS[PeriodType.DAILY][read.strategy == "hive"]
    pattern = _pattern(config, at, default if read.pattern is None else read.pattern, read.date_format)
    if read.strategy == "flat" and "/" in pattern.text:
        raise config.refused(at, "Set partitioning.strategy to hive, or name a file without folders.")
    if read.strategy == "flat" and pattern.unit is not PeriodType.DAILY:
        raise config.refused(at, "Name each day: use {date}, or {year}, {month} and {day}.")
    folders = pattern.text.split("/")[:-1]
    if read.strategy == "hive" and not (folders and all(re.fullmatch(r"\w+=.+", folder) for folder in folders)):
        raise config.refused(at, "Name folders as in year={year}/month={month}/day={day}/data.parquet.")
    if pattern.unit is None:
        raise config.refused(at, "Use {date}, {year}, {month}, {day} or {week}.")
    return FileNaming(read.strategy, pattern, read.date_format)


def _trigger(config: ConfigText, read: _Trigger) -> Trigger:
    at = ("compaction", "trigger")
    schedule = _cron(config, (*at, "schedule"), read.schedule)
    type = read.type or ("schedule" if schedule else "manual")
    if type == "schedule" and schedule is None:
        raise config.refused((*at, "type"), CRON_HINT, '"compaction.trigger.schedule" is missing')
    return Trigger(type, schedule, read.delay_days)


def _strategy(config: ConfigText, read: _Strategy, partitioning: FileNaming) -> CompactionStrategy:
    at = ("compaction", "strategy")
    type = PeriodType(read.type)
    default = _OUTPUTS[type][partitioning.strategy == "hive"]
    text = default if read.output_pattern is None else read.output_pattern
    pattern = _pattern(config, (*at, "output_pattern"), text, partitioning.date_format)
    if pattern.unit is not type:
        hint = f"Name the {type} period, as in {default}."
        raise config.refused((*at, "output_pattern" if config.given(*at, "output_pattern") else "type"), hint)
    size = _size(config, (*at, "target_file_size"), read.target_file_size)
    return CompactionStrategy(type, pattern, read.delete_source, read.lookback_months, size)


def _ingestion(config: ConfigText, read: _Ingestion, date_format: str) -> Ingestion:
    source = None
    if read.source is not None:
        source = _pattern(config, ("ingestion", "source"), read.source, date_format, source=True)
    schedule = _cron(config, ("ingestion", "schedule"), read.schedule)
    if schedule is not None and source is None:
        raise config.refused(
            ("ingestion", "schedule"), "Add ingestion.source, or remove the schedule.", '"ingestion.source" is missing'
        )
    if read.encoding.lower() not in ENCODINGS:
        raise config.refused(("ingestion", "encoding"), f"Use one of {', '.join(ENCODINGS)}.")
    if len(read.delimiter) != 1 or read.delimiter in '"\r\n\0\\':
        raise config.refused(
            ("ingestion", "delimiter"), 'Write one character such as ";"; a tab is "\\t" in double quotes.'
        )
    for key in ("delimiter", "header"):
        if read.format in ("json", "parquet") and config.given("ingestion", key):
            raise config.refused(("ingestion", key), "Remove it.", f'"ingestion.{key}" applies to csv alone')
    return Ingestion(
        dataset_config=read.dataset_config,
        source=source,
        schedule=schedule,
        schema=read.schema_policy,
        encoding=ENCODINGS[read.encoding.lower()],
        max_rejects=_share(config, ("ingestion", "max_rejects"), read.max_rejects),
        on_date_mismatch=read.on_date_mismatch,
        format=read.format,
        delimiter=read.delimiter,
        header=read.header,
    )


def _pattern(config: ConfigText, at: Path, text: str, date_format: str, *, source: bool = False) -> FilePattern:
    try:
        return FilePattern.parse(text, date_format=date_format, source=source)
    except PatternInvalid as wrong:
        raise config.refused(at, wrong.hint, f'"{".".join(map(str, at))}": {wrong.message}') from None


def _cron(config: ConfigText, at: Path, text: str | None) -> Cron | None:
    try:
        return None if text is None else parse_cron(text)
    except CronInvalid as wrong:
        raise config.refused(at, CRON_HINT, f'"{".".join(map(str, at))}" {wrong}') from None


def _share(config: ConfigText, at: Path, value: int | float | str) -> Decimal:
    """A share from 0 to 1, exactly as written."""
    if isinstance(value, str):
        percent = _PERCENT.fullmatch(value.strip())
        share = Decimal(percent[1]) / 100 if percent else None
    else:
        share = Decimal(str(value))
    if share is None or not share.is_finite() or not 0 <= share <= 1:
        raise config.refused(at, "Write a share of the rows such as 0.1 or 10%, at most 1 or 100%.")
    return share


def _size(config: ConfigText, at: Path, value: int | str | None) -> int | None:
    """A number of bytes; MB are 1000², MiB 1024², as in DuckDB."""
    if value is None:
        return None
    found = _SIZE.fullmatch(str(value).strip())
    unit = ((found and found[2]) or "B").upper()
    base, power = (1024 if "I" in unit else 1000), "BKMGT".index(unit[0])
    size: int = int(found[1]) * base**power if found else 0
    if not 1 <= size < 2**63:
        raise config.refused(at, "Write a size such as 512MB, or a number of bytes.")
    return size
