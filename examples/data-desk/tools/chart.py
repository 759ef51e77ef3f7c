"""The tool `chart`: a picture of a table, as an SVG file."""

from pathlib import Path

from desk.chart import MOST_SERIES, Chart, Series, draw
from desk.files import shown, to_write
from desk.grouping import COMBINE, PERIODS, combined, period_of
from desk.tables import Column, Table, read_table

#: More bars than this are a comb.
_MOST_BARS = 40
_MOST_POINTS = 2000


def chart(
    workspace: Path,
    file: str,
    x: str,
    y: str | None = None,
    kind: str = "bar",
    combine: str = "sum",
    by: str = "value",
    series: str | None = None,
    title: str | None = None,
    save_as: str | None = None,
) -> dict:
    """Draws a chart of a table.

    Args:
        workspace: The folder of the chat's files.
        file: The table.
        x: The column along the bottom.
        y: The column with the numbers; rows are counted when it is left out.
        kind: One of bar, line and scatter.
        combine: What becomes of several rows with the same x: sum, mean, min, max or count.
        by: How dates are put together: value (not at all), day, month, quarter or year.
        series: A column that splits the chart.
        title: The headline.
        save_as: Where the SVG goes.

    Returns:
        Where the SVG is, and the numbers that are drawn.
    """
    table = read_table(workspace, file)
    along, up, split = table.column(x), table.column(y) if y else None, table.column(series) if series else None
    _check(table, along, up, kind, combine, by)
    drawn = _points(along, up, split) if kind == "scatter" else _groups(along, up, split, combine, by)
    drawn, notes = _cut(drawn, kind)
    if not any(one.points for one in drawn):
        raise ValueError(f"there is nothing to draw: no row of {table.path} has both {x} and {y or 'a value'}")
    up_label = _up_label(up, kind, combine)
    heading = title or _heading(up_label, along, split, by)
    target = to_write(workspace, save_as or f"charts/{Path(table.path).stem}.svg", (".svg",))
    picture = Chart(heading, along.name, up_label, kind, drawn, notes)
    target.write_text(draw(picture), encoding="utf-8")
    return {
        "svg": shown(workspace, target),
        "title": heading,
        "series": [{"name": one.name, "points": [list(point) for point in one.points[:_MOST_BARS]]} for one in drawn],
        "notes": notes,
    }


def _up_label(up: Column | None, kind: str, combine: str) -> str:
    if up is None:
        return "rows"
    return up.name if kind == "scatter" or combine == "sum" else f"{combine} of {up.name}"


def _heading(up_label: str, along: Column, split: Column | None, by: str) -> str:
    heading = f"{up_label} by {along.name if by == 'value' else by}{f' and {split.name}' if split else ''}"
    return heading[0].upper() + heading[1:]


def _check(table: Table, along: Column, up: Column | None, kind: str, combine: str, by: str) -> None:
    """Says what does not go together, before anything is drawn."""
    if kind not in ("bar", "line", "scatter"):
        raise ValueError(f"{kind!r} is no kind of chart; choose bar, line or scatter")
    if combine not in COMBINE:
        raise ValueError(f"{combine!r} is no way to put rows together; choose {', '.join(COMBINE)}")
    if by not in PERIODS:
        raise ValueError(f"{by!r} is no period; choose {', '.join(PERIODS)}")
    numbers = ", ".join(column.name for column in table.columns if column.kind == "number") or "none"
    if up and up.kind != "number" and not (combine == "count" and kind != "scatter"):
        raise ValueError(f"{up.name} holds no numbers; columns with numbers: {numbers}. Or count rows: leave y out")
    if kind == "scatter" and (up is None or along.kind != "number"):
        raise ValueError(f"a scatter chart needs numbers for x and for y; columns with numbers: {numbers}")
    if by != "value" and along.kind != "date":
        dates = ", ".join(column.name for column in table.columns if column.kind == "date") or "none"
        raise ValueError(f"{along.name} holds no dates, so it cannot be put together by {by}; columns with dates: {dates}")


def _points(along: Column, up: Column, split: Column | None) -> list[Series]:
    """Every row that has both numbers."""
    found: dict[str, list[tuple[float, float]]] = {}
    names = split.values if split else [""] * len(along.values)
    for name, one, other in zip(names, along.values, up.values):
        if one is not None and other is not None:
            found.setdefault(_label(name), []).append((one, other))
    return [Series(name, points) for name, points in found.items()]


def _groups(along: Column, up: Column | None, split: Column | None, combine: str, by: str) -> list[Series]:
    """The rows put together by x, and by series."""
    found: dict[str, dict[object, list]] = {}
    names = split.values if split else [""] * len(along.values)
    numbers = up.values if up else [1] * len(along.values)
    for name, value, number in zip(names, along.values, numbers):
        if value is not None and number is not None:
            group = period_of(value, by) if along.kind == "date" else value
            found.setdefault(_label(name), {}).setdefault(group, []).append(number)
    how = combine if up else "count"
    series = [Series(name, [(group, combined(values, how)) for group, values in groups.items()]) for name, groups in found.items()]
    in_order = along.kind in ("number", "date")
    # What has an order of its own keeps it; names are sorted by how much they come to.
    totals: dict[object, float] = {}
    for one in series:
        for group, value in one.points:
            totals[group] = totals.get(group, 0) + value
    key = (lambda point: point[0]) if in_order else (lambda point: (-totals[point[0]], str(point[0])))
    return [Series(one.name, sorted(one.points, key=key)) for one in series]


def _cut(series: list[Series], kind: str) -> tuple[list[Series], list[str]]:
    """No more than can be told apart, and a note on what was left out."""
    notes = []
    series = sorted(series, key=lambda one: (-sum(abs(point[1]) for point in one.points), one.name))
    if len(series) > MOST_SERIES:
        notes.append(f"The {MOST_SERIES} largest of {len(series)} series are drawn.")
        series = series[:MOST_SERIES]
    most = _MOST_BARS if kind == "bar" else _MOST_POINTS
    groups = list(dict.fromkeys(point[0] for one in series for point in one.points))
    if kind == "bar" and len(groups) > most:
        notes.append(f"The first {most} of {len(groups)} bars are drawn.")
        kept = set(groups[:most])
        series = [Series(one.name, [point for point in one.points if point[0] in kept]) for one in series]
    elif any(len(one.points) > most for one in series):
        notes.append(f"{most} points of each series are drawn, taken at even distances.")
        series = [Series(one.name, one.points[:: -(-len(one.points) // most)]) for one in series]
    return series, notes


def _label(value: object) -> str:
    return "(none)" if value is None else str(value)
