"""`python -m headwater.demo`: the demo in a temporary folder."""

from __future__ import annotations

import sys

from rich.console import Console

from headwater.demo.run import SECONDS, demo
from headwater.store.sqlite import open_directly

open_directly()
sys.exit(demo(None, SECONDS, lambda text: Console(highlight=False, markup=False, soft_wrap=True).print(text)))
