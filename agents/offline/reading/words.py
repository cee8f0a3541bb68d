"""Values as short words: durations, bytes, money, counts."""

from __future__ import annotations

from agents.offline.reading.units import DAY, HOUR, MINUTE, MONTH, WEEK, YEAR

_STEPS = ((YEAR, "year"), (MONTH, "month"), (WEEK, "week"), (DAY, "day"), (HOUR, "h"),
          (MINUTE, "minute"))  # fmt: skip


def duration_text(seconds: float) -> str:
    """``4.4 h``, ``15 minutes``, ``300 ms``."""
    if seconds == 0:
        return "none"
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    for length, name in _STEPS:
        if seconds >= length * 0.999:
            value = seconds / length
            if name != "h" and name != "minute" and value != round(value) and value < 10:
                continue
            text = f"{value:.3g}"
            return f"{text} {name}" if name == "h" or text == "1" else f"{text} {name}s"
    return f"{seconds:.3g} s"


def bytes_text(value: float) -> str:
    """``1.4 TB`` in powers of 1000."""
    for power, name in ((18, "EB"), (15, "PB"), (12, "TB"), (9, "GB"), (6, "MB"), (3, "kB")):
        if value >= 0.9995 * 10**power:
            return f"{value / 10**power:.3g} {name}"
    return f"{value:.3g} B"


def number_text(value: float) -> str:
    """``2,170``: three significant digits, commas between thousands."""
    if value == 0:
        return "0"
    digits = float(f"{value:.3g}")
    return f"{digits:,.0f}" if digits >= 100 else f"{digits:,g}"


def money_text(value: float, currency: str) -> str:
    """``38,000 EUR``."""
    return f"{value:,.0f} {currency}" if value >= 10 else f"{value:,.2f} {currency}"
