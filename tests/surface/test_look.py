"""What commands that look print, to the letter."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.surface.conftest import LATER, Cli

LIST_CSV = """\
schema_name,name,state,freshness,refresh_mode,last_refresh,sources
main,big,ACTIVE,target lag 1 hour,AUTO,<time>,"[""main.orders"", ""main.customers""]"
main,tot,ACTIVE,on demand,AUTO,<time>,"[""main.big""]"
"""
STATUS_CSV = """\
schema_name,name,state,lag,target_lag,late,version,data_snapshot,data_time,last_action,last_state,last_refresh,last_error,suspended_reason,waiting_reason,refreshing_since
main,big,ACTIVE,0.0,3600.0,false,5,5,<time>,NO_DATA,SUCCEED,<time>,,,,
main,tot,ACTIVE,0.0,,false,6,5,<time>,REINITIALIZE,SUCCEED,<time>,,,,
"""
STATUS_JSON = """\
[
  {
    "schema_name": "main",
    "name": "tot",
    "state": "ACTIVE",
    "lag": 0.0,
    "target_lag": null,
    "late": false,
    "version": 6,
    "data_snapshot": 5,
    "data_time": "<time>",
    "last_action": "REINITIALIZE",
    "last_state": "SUCCEED",
    "last_refresh": "<time>",
    "last_error": null,
    "suspended_reason": null,
    "waiting_reason": null,
    "refreshing_since": null
  }
]
"""
HISTORY_CSV = """\
workspace_name,schema_name,name,virtual_cluster,start_time,end_time,duration,state,refresh_trigger,suspended_reason,\
refresh_mode,error_message,source_tables,stats,completion_target,job_id,reason
lake,main,tot,DEFAULT,<time>,<time>,<seconds>,SUCCEED,CREATION,,REINITIALIZE,,\
"[{""workspace"": ""lake"", ""schema"": ""main"", ""table_name"": ""big""}]",\
"{""rows_inserted"": 2, ""rows_deleted"": 0, ""compute_seconds"": <some>, ""jobs"": <some>, ""rows_read"": <some>, \
""bytes_read"": <some>, ""source_files"": 1, ""files_written"": 1, ""bytes_written"": <some>, \
""commit_seconds"": <some>, ""first_time"": 1}",,<id>,first refresh
"""
HISTORY_JSON = """\
[
  {
    "workspace_name": "lake",
    "schema_name": "main",
    "name": "tot",
    "virtual_cluster": "DEFAULT",
    "start_time": "<time>",
    "end_time": "<time>",
    "duration": <seconds>,
    "state": "SUCCEED",
    "refresh_trigger": "CREATION",
    "suspended_reason": null,
    "refresh_mode": "REINITIALIZE",
    "error_message": null,
    "source_tables": [
      {
        "workspace": "lake",
        "schema": "main",
        "table_name": "big"
      }
    ],
    "stats": {
      "rows_inserted": 2,
      "rows_deleted": 0,
      "compute_seconds": <some>,
      "jobs": <some>,
      "rows_read": <some>,
      "bytes_read": <some>,
      "source_files": 1,
      "files_written": 1,
      "bytes_written": <some>,
      "commit_seconds": <some>,
      "first_time": 1
    },
    "completion_target": null,
    "job_id": "<id>",
    "reason": "first refresh"
  }
]
"""
DESCRIBE_CSV = """\
column_name,data_type,comment
name,varchar,
s,"decimal(20,2)",
n,int64,
"","",
# schema_name,main,
# name,tot,
# state,ACTIVE,
# freshness,on demand,
# lag,0:00:00,
# target_lag,"",
# refresh_mode,AUTO,
# version,6,
# data_snapshot,5,
# last_action,REINITIALIZE,
# last_state,SUCCEED,
# last_refresh,<time>,
# suspended_reason,"",
# waiting_reason,"",
# refreshing_since,"",
# warehouse,default,
# sources,"""
GRAPH = """\
main.customers
└── main.big [target lag 1 hour, lag 0:00:00]
    └── main.tot [on demand, lag 0:00:00]
main.orders
└── main.big [target lag 1 hour, lag 0:00:00] (above)
"""
GRAPH_CSV = """\
name,dynamic,state,freshness,lag,target_lag,late,reads,after
main.big,true,ACTIVE,target lag 1 hour,0.0,3600.0,false,"[""main.customers"", ""main.orders""]",[]
main.customers,false,,,,,,[],[]
main.orders,false,,,,,,[],[]
main.tot,true,ACTIVE,on demand,0.0,,false,"[""main.big""]",[]
"""
GRAPH_DOT = r"""digraph headwater {
  rankdir = LR;
  "\"main\".\"big\"" [shape = ellipse, label = "main.big\ntarget lag 1 hour, lag 0:00:00"];
  "\"main\".\"customers\"" [shape = box, label = "main.customers"];
  "\"main\".\"orders\"" [shape = box, label = "main.orders"];
  "\"main\".\"tot\"" [shape = ellipse, label = "main.tot\non demand, lag 0:00:00"];
  "\"main\".\"customers\"" -> "\"main\".\"big\"";
  "\"main\".\"orders\"" -> "\"main\".\"big\"";
  "\"main\".\"big\"" -> "\"main\".\"tot\"";
}
"""


def test_list(cli: Cli, shop: Path) -> None:
    assert cli("list", "-o", "csv").same == LIST_CSV
    assert cli("list", "-o", "json").rows[1]["sources"] == ["main.big"]
    head, _rule, first, _second = cli("list").out.splitlines()
    assert head.split() == LIST_CSV.splitlines()[0].split(",")
    assert "main.orders, main.customers" in first


def test_status(cli: Cli, shop: Path) -> None:
    assert cli("status", "-o", "csv").same == STATUS_CSV
    assert cli("status", "TOT", "-o", "json").same == STATUS_JSON
    assert cli("status", "--wide").out.splitlines()[0].split() == STATUS_CSV.splitlines()[0].split(",")
    head, _rule, first, second = cli("status").out.splitlines()
    assert re.split(r"  +", head.strip()) == ["name", "state", "lag / target", "last refresh", "why"]
    assert re.fullmatch(r"big +ACTIVE +0 s / 1 h +\d+ (s|min).* ago +NO_DATA", first.rstrip())
    assert re.fullmatch(r"tot +ACTIVE +0 s / - +\d+ (s|min).* ago +REINITIALIZE", second.rstrip())


def test_status_says_why_a_table_is_late(cli: Cli, shop: Path) -> None:
    cli("sql", "ALTER TABLE orders DROP COLUMN amount")
    assert cli("refresh", "big").code == 1
    cli("suspend", "tot")
    big, tot = cli("status").out.splitlines()[2:]
    assert 'column "amount" of "main"."orders" was dropped' in big
    assert "SUSPENDED" in tot
    assert cli("status", "tot", "-o", "json").rows[0]["suspended_reason"] in tot
    history = cli("history", "big", "--limit", "1").out
    assert re.search(r'^big +FAILED +\d+ s ago +[\d.]+ s +\+0 -0 +column "amount" of', history, re.MULTILINE)


def test_a_terminal_shows_all_columns_if_they_fit(shop: Path) -> None:
    for width, heads in ((80, "name  state  lag / target"), (250, "schema_name  name  state  lag      target_lag")):
        ours, theirs = os.openpty()
        env = os.environ | {"COLUMNS": str(width), "TERM": "xterm"}
        subprocess.run([sys.executable, "-m", "headwater", "status"], stdout=theirs, env=env, check=True)
        os.close(theirs)
        shown = re.sub(r"\x1b\[[\d;]*m", "", os.read(ours, 65536).decode())
        os.close(ours)
        assert re.sub(r" +", " ", shown.splitlines()[0]).startswith(re.sub(r" +", " ", heads))
        assert all(len(line) <= width for line in shown.splitlines())


def test_a_breached_lag_is_exit_code_3(cli: Cli, shop: Path) -> None:
    cli("alter", "big", "SET TARGET_LAG = '1 second'")
    assert cli("status").code == 0
    cli("sql", LATER)
    time.sleep(1.6)
    ran = cli("status", "-o", "json")
    assert (ran.code, [row["late"] for row in ran.rows]) == (3, [True, False])
    assert cli("status", "tot").code == 0


def test_history(cli: Cli, shop: Path) -> None:
    assert cli("history", "tot", "-o", "csv").same == HISTORY_CSV
    assert cli("history", "tot", "-o", "json").same == HISTORY_JSON
    assert [row["name"] for row in cli("history", "-o", "json", "--limit", "2").rows] == ["tot", "big"]
    head, _rule, row = cli("history", "tot").out.splitlines()
    assert head.split() == ["name", "state", "started", "took", "rows", "why"]
    assert re.fullmatch(r"tot +SUCCEED +\d+ .* ago +[\d.]+ s +\+2 -0 +REINITIALIZE: first refresh", row.rstrip())
    assert "refresh_trigger" in cli("history", "tot", "--wide").out
    assert cli("history", "--limit", "0").code == 2


def test_describe(cli: Cli, shop: Path) -> None:
    assert cli("describe", "main.tot", "-o", "csv").same.startswith(DESCRIBE_CSV)
    assert cli("describe", "tot", "-o", "json").rows[1] == {
        "column_name": "s",
        "data_type": "decimal(20,2)",
        "comment": None,
    }


def test_graph(cli: Cli, shop: Path) -> None:
    assert cli("graph").out == GRAPH
    assert cli("graph", "-o", "csv").out == GRAPH_CSV
    assert cli("graph", "--dot").out == GRAPH_DOT
    cli("sql", "ALTER TABLE orders RENAME TO sales")
    cli("alter", "big", "RENAME TO large")
    assert cli("graph").out.splitlines()[:2] == [
        "main.customers",
        "└── main.large [target lag 1 hour, lag 0:00:00]",
    ]
    assert "main.sales" in cli("graph").out
    cli("sql", "CREATE TABLE load (i INT)")
    cli("alter", "tot", "SET AFTER = 'load'")
    assert cli("graph").out.splitlines()[3:5] == ["main.load", "└── main.tot [on demand, lag 0:00:00] (after)"]
    assert '  "\\"main\\".\\"load\\"" -> "\\"main\\".\\"tot\\"" [style = dashed];' in cli("graph", "--dot").out


def test_profile(cli: Cli, shop: Path) -> None:
    (job,) = json.loads(cli("history", "tot", "-o", "json").out)
    (found,) = json.loads(cli("profile", job["job_id"], "-o", "json").out)
    assert found == json.loads(cli("profile", "--table", "tot", "-o", "json").out)[0]
    assert found == json.loads(cli("profile", "--tag", job["job_id"], "-o", "json").out)[0]
    assert (found["table"], found["action"], found["rows_inserted"]) == ("main.tot", "REINITIALIZE", 2)
    assert found["phases"].keys() == {"compute", "commit", "other"}
    assert found["rows_read"] == job["stats"]["rows_read"] > 0
    assert found["sql"].startswith('-- hw_source_1: "main"."big"\nSELECT name')
    shown = cli("profile", job["job_id"]).out
    assert job["job_id"] in shown
    assert "compute_seconds" in shown
    gone = cli("profile", "gone")
    assert gone.code == 1
    assert 'error[HW-NAME-001]: no job with id "gone" is in the history' in gone.err
    assert cli("profile").code == 1


def test_names_stay_within_their_terminal(cli: Cli, shop: Path) -> None:
    ran = cli("sql", "SELECT 'a\x1b[31m' AS \"[bold]\", '[red]x[/red]' AS b, NULL AS c")
    assert "\x1b" not in ran.out
    assert ran.out.splitlines()[0].split() == ["[bold]", "b", "c"]
    assert ran.out.splitlines()[2].split() == [r"a\x1b[31m", "[red]x[/red]", "NULL"]
