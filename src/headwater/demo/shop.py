"""The shop of the demo: its tables, dynamic tables and changes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

SCHEMA = "shop"
REGIONS = ("north", "south", "east", "west")
CATEGORIES = ("books", "garden", "kitchen", "toys")
FIRST_CUSTOMERS, FIRST_PRODUCTS, FIRST_ORDERS = 200, 24, 5000
DAYS = 14

SOURCES = f"""
CREATE SCHEMA {SCHEMA};
CREATE TABLE shop.customers (id INTEGER, name VARCHAR, region VARCHAR);
CREATE TABLE shop.products (id INTEGER, title VARCHAR, category VARCHAR, price DECIMAL(10, 2));
CREATE TABLE shop.orders (id INTEGER, customer_id INTEGER, product_id INTEGER, quantity INTEGER, day DATE);
"""

# Definitions by name; each comes after the tables that it reads.
DYNAMIC_TABLES = {
    "order_details": """
        CREATE DYNAMIC TABLE shop.order_details TARGET_LAG = DOWNSTREAM
        AS SELECT o.id, o.day, o.customer_id, c.region, p.title, p.category, o.quantity * p.price AS amount
           FROM shop.orders o
           JOIN shop.products p ON p.id = o.product_id
           LEFT JOIN shop.customers c ON c.id = o.customer_id
    """,
    "sales_by_day": """
        CREATE DYNAMIC TABLE shop.sales_by_day TARGET_LAG = '30 seconds'
        AS SELECT day, count(*) AS orders, sum(amount) AS amount FROM shop.order_details GROUP BY day
    """,
    "sales_by_region": """
        CREATE DYNAMIC TABLE shop.sales_by_region TARGET_LAG = '25 seconds'
        AS SELECT region, count(*) AS orders, sum(amount) AS amount FROM shop.order_details GROUP BY region
    """,
    "top_products": """
        CREATE DYNAMIC TABLE shop.top_products TARGET_LAG = '30 seconds'
        AS SELECT category, title, amount, place
           FROM (SELECT category, title, amount, rank() OVER (PARTITION BY category ORDER BY amount DESC) AS place
                 FROM (SELECT category, title, sum(amount) AS amount FROM shop.order_details GROUP BY category, title))
           WHERE place <= 3
    """,
    "customer_value": """
        CREATE DYNAMIC TABLE shop.customer_value TARGET_LAG = '30 seconds'
        AS SELECT c.id, c.name, c.region, count(d.id) AS orders, coalesce(sum(d.amount), 0) AS amount
           FROM shop.customers c LEFT JOIN shop.order_details d ON d.customer_id = c.id
           GROUP BY c.id, c.name, c.region
    """,
    "region_share": """
        CREATE DYNAMIC TABLE shop.region_share TARGET_LAG = '25 seconds'
        AS SELECT r.region, r.amount, v.customers, r.amount / v.customers AS amount_per_customer
           FROM shop.sales_by_region r
           JOIN (SELECT region, count(*) AS customers FROM shop.customer_value GROUP BY region) v
             ON v.region = r.region
    """,
    "price_ranges": """
        CREATE DYNAMIC TABLE shop.price_ranges REFRESH INTERVAL 15 SECOND
        AS SELECT category, min(price) AS cheapest, max(price) AS dearest FROM shop.products GROUP BY category
    """,
}


class Shop:
    """Changes of the shop, as SQL; deterministic for a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._last = {"customers": 0, "products": 0, "orders": 0}

    def opening(self) -> str:
        """The first rows of the three tables."""
        return ";".join(
            (
                self._insert("customers", FIRST_CUSTOMERS, self._customer),
                self._insert("products", FIRST_PRODUCTS, self._product),
                self._insert("orders", FIRST_ORDERS, self._order),
            )
        )

    def next_change(self) -> str:
        """One change: of orders, customers or prices."""
        kinds: dict[Callable[[], str], int] = {
            lambda: self._insert("orders", self._random.randint(1, 8), self._order): 8,
            self._change_order: 5,
            self._cancel_orders: 3,
            self._move_customer: 3,
            lambda: self._insert("customers", 1, self._customer): 2,
            self._lose_customer: 1,
            self._change_price: 1,
        }
        (change,) = self._random.choices(list(kinds), list(kinds.values()))
        return change()

    def _insert(self, table: str, count: int, row: Callable[[int], str]) -> str:
        first = self._last[table] + 1
        self._last[table] += count
        rows = ", ".join(f"({id}, {row(id)})" for id in range(first, first + count))
        return f"INSERT INTO {SCHEMA}.{table} VALUES {rows}"

    def _customer(self, id: int) -> str:
        return f"'customer {id}', {self._region()}"

    def _product(self, id: int) -> str:
        return f"'product {id}', '{self._random.choice(CATEGORIES)}', {self._random.randint(100, 9999) / 100}"

    def _order(self, id: int) -> str:
        customer = self._some("customers") if self._random.random() > 0.05 else "NULL"
        day = f"DATE '2026-01-{self._random.randint(1, DAYS):02}'"
        return f"{customer}, {self._some('products')}, {self._random.randint(1, 5)}, {day}"

    def _change_order(self) -> str:
        return f"UPDATE shop.orders SET quantity = {self._random.randint(1, 9)} WHERE id = {self._some('orders')}"

    def _cancel_orders(self) -> str:
        first = self._some("orders")
        return f"DELETE FROM shop.orders WHERE id BETWEEN {first} AND {first + 2}"

    def _move_customer(self) -> str:
        return f"UPDATE shop.customers SET region = {self._region()} WHERE id = {self._some('customers')}"

    def _lose_customer(self) -> str:
        return f"DELETE FROM shop.customers WHERE id = {self._some('customers')}"

    def _change_price(self) -> str:
        return f"UPDATE shop.products SET price = price + 0.5 WHERE id = {self._some('products')}"

    def _region(self) -> str:
        return f"'{self._random.choice(REGIONS)}'" if self._random.random() > 0.1 else "NULL"

    def _some(self, table: str) -> int:
        return self._random.randint(1, self._last[table])
