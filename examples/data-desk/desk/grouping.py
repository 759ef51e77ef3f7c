"""Putting rows together: by period, and by sum, mean and the like."""

from statistics import fmean

#: The ways to make one number of several.
COMBINE = ("sum", "mean", "min", "max", "count")
#: The ways to put dates together.
PERIODS = ("value", "day", "month", "quarter", "year")


def combined(values: list, how: str) -> int | float:
    """One number for several."""
    if how == "count":
        return len(values)
    if how == "mean":
        return _tidy(fmean(values))
    if how == "min":
        return min(values)
    if how == "max":
        return max(values)
    return _tidy(sum(values))


def period_of(date: str, by: str) -> str:
    """The period of a date in ISO form: 2025-03-14 is in 2025-03, 2025 Q1 and 2025."""
    if by == "day":
        return date[:10]
    if by == "month":
        return date[:7]
    if by == "quarter":
        return f"{date[:4]} Q{(int(date[5:7]) + 2) // 3}"
    if by == "year":
        return date[:4]
    return date


def _tidy(number: int | float) -> int | float:
    """Without what binary fractions add: 0.1 + 0.2 is 0.3."""
    return number if isinstance(number, int) else float(f"{number:.12g}")
