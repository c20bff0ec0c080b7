"""Write the files of the sales example: data/sales_2024-01-01.csv to data/sales_2024-01-31.csv, the same each time."""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path
from random import Random

HEADER = "date,product_id,quantity,price,customer_id,region"
REGIONS = ("north", "south", "east", "west")
# Rows by day of January 2024: 2,239 in all.
ROWS = (88, 85, 60, *(72, 75, 68, 80, 66, 77, 71) * 4)
TOTAL = 2_239
# Revenues of the first days, in cents.
REVENUES = (10_907_601, 11_980_898, 9_180_656)


def rows_of_days() -> tuple[int, ...]:
    """The rows of each day; the last day has what is left of the total."""
    return (*ROWS[:-1], TOTAL - sum(ROWS[:-1]))


def sales_of_day(day: date, rows: int, revenue: int | None) -> list[str]:
    """The lines of one day; with a revenue in cents, the price of the last sale, of one piece, makes up for it."""
    random = Random(day.toordinal())
    lines, left = [], revenue
    for index in range(rows):
        quantity, price = random.randint(1, 10), random.randint(500, 40_000)
        if left is not None:
            left_each = max(left // (rows - index), 2)
            price = max(1, left_each * random.randint(60, 140) // 100 // quantity)
            if index == rows - 1:
                quantity, price = 1, left
            left -= quantity * price
        product, customer = random.randint(1, 50), random.randint(1, 400)
        lines.append(
            f"{day},P{product:03},{quantity},{price // 100}.{price % 100:02},C{customer:04},{random.choice(REGIONS)}"
        )
    return lines


def write_sales(folder: Path) -> list[Path]:
    """Write all files into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for offset, rows in enumerate(rows_of_days()):
        day = date(2024, 1, 1) + timedelta(days=offset)
        revenue = REVENUES[offset] if offset < len(REVENUES) else None
        path = folder / f"sales_{day}.csv"
        path.write_text("\n".join([HEADER, *sales_of_day(day, rows, revenue)]) + "\n", encoding="utf-8", newline="\n")
        paths.append(path)
    return paths


if __name__ == "__main__":
    written = write_sales(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("data"))
    print(f"wrote {len(written)} files to {written[0].parent}")
