"""Times of day as text."""


def clock_text(value: int, digits: int) -> str:
    """A time of day as DuckDB prints it; the value is in units of 10 to the power of minus `digits` seconds.

    >>> clock_text(86_400_000, 3), clock_text(1_500, 3)
    ('24:00:00', '00:00:01.5')
    """
    seconds, fraction = divmod(value, 10**digits)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    tail = f".{fraction:0{digits}}".rstrip("0") if fraction else ""
    return f"{hour:02}:{minute:02}:{second:02}{tail}"
