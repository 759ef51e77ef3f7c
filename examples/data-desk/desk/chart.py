"""Charts as SVG: plain text, sharp at every size, and legible in light and dark."""

import math
from dataclasses import dataclass, field
from html import escape

MOST_SERIES = 8

_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 20, 56, 64
#: Hues that can be told apart, also by those who do not see all of them (Okabe and Ito), the first one ours.
_COLOURS = ("#b4571f", "#0072b2", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#d55e00", "#6b6b6b")
_STYLE = """
body { margin: 0; }
svg { display: block; font: 13px system-ui, sans-serif; background: #fff; color: #211d18; }
text { fill: currentColor; } .small { font-size: 11px; opacity: .75; } .title { font-size: 16px; font-weight: 600; }
.line { stroke: currentColor; opacity: .14; } .axis { stroke: currentColor; opacity: .45; }
.mark { stroke: none; } .mark:hover { opacity: .72; } .path { fill: none; stroke-width: 2.25; stroke-linejoin: round; }
@media (prefers-color-scheme: dark) { svg { background: #24211d; color: #ede8e1; } }
"""


@dataclass(frozen=True)
class Series:
    """One line, or one set of bars or dots: pairs of what is along the bottom and how high it is."""

    name: str
    points: list[tuple]


@dataclass(frozen=True)
class Chart:
    """All that is drawn."""

    title: str
    x_label: str
    y_label: str
    kind: str
    series: list[Series]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Scale:
    """From numbers to places on the picture."""

    low: float
    high: float
    start: float
    end: float

    def at(self, number: float) -> float:
        return self.start + (number - self.low) / (self.high - self.low) * (self.end - self.start)


def draw(chart: Chart) -> str:
    """The chart as the text of an SVG file."""
    heights = [point[1] for series in chart.series for point in series.points]
    with_zero = chart.kind != "scatter"
    ticks = ticks_for(min(heights + [0] * with_zero), max(heights + [0] * with_zero))
    up = _Scale(ticks[0], ticks[-1], _HEIGHT - _BOTTOM, _TOP)
    numeric = all(isinstance(point[0], (int, float)) for series in chart.series for point in series.points)
    parts = [*_frame(chart), *_grid(ticks, up)]
    if chart.kind == "scatter" or (chart.kind == "line" and numeric):
        parts += _over_numbers(chart, up)
    else:
        parts += _over_names(chart, up)
    parts += _legend(chart)
    label = escape(f"{chart.title}. {chart.y_label} over {chart.x_label}.", quote=True)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">'
    return "\n".join([head, f"<style>{_STYLE}</style>", *parts, "</svg>", ""])


def ticks_for(low: float, high: float) -> list[float]:
    """Round numbers that take in a range: steps of 1, 2 or 5 and any number of zeros, about five of them."""
    if low == high:
        low, high = (low - 1, high + 1) if low else (0, 1)
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [float(f"{at * step:.12g}") for at in range(first, last + 1)]


def told(number: float, largest: float | None = None) -> str:
    """A number as people write it: 12.5k, 3.2M. Beside others it is told in the unit of the largest."""
    size = abs(number if largest is None else largest)
    for least, unit, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if size >= least and number:
            return f"{number / unit:.4g}{letter}"
    return f"{number:.6g}"


def _frame(chart: Chart) -> list[str]:
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    parts = [
        _text(_LEFT, 26, chart.title[:90], "title"),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, chart.x_label, "small", anchor="middle"),
        f'<text class="small" text-anchor="middle" transform="translate(14 {middle:.0f}) rotate(-90)">{escape(chart.y_label)}</text>',
    ]
    if chart.notes:
        parts.append(_text(_WIDTH - _RIGHT, _HEIGHT - 8, " ".join(chart.notes), "small", anchor="end"))
    return parts


def _grid(ticks: list[float], up: _Scale) -> list[str]:
    parts = []
    for tick in ticks:
        y = up.at(tick)
        kind = "axis" if tick == 0 or tick == ticks[0] else "line"
        parts.append(f'<line class="{kind}" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(_LEFT - 8, y + 4, told(tick, max(map(abs, ticks))), "small", anchor="end"))
    return parts


def _over_numbers(chart: Chart, up: _Scale) -> list[str]:
    """Dots, or a line, over a number."""
    places = [point[0] for series in chart.series for point in series.points]
    ticks = ticks_for(min(places), max(places))
    # A little room at both ends, so that no dot sits on the axis.
    along = _Scale(ticks[0], ticks[-1], _LEFT + 14, _WIDTH - _RIGHT - 14)
    largest = max(map(abs, ticks))
    parts = [_text(along.at(tick), _HEIGHT - _BOTTOM + 18, told(tick, largest), "small", anchor="middle") for tick in ticks]
    for series, colour in zip(chart.series, _COLOURS):
        dots = [(along.at(x), up.at(y), f"{told(x)}: {told(y)}") for x, y in series.points]
        parts += _path(dots, colour, chart.kind == "line", series.name)
    return parts


def _over_names(chart: Chart, up: _Scale) -> list[str]:
    """Bars, or a line, over names and periods, each of which has a place of the same width."""
    names = list(dict.fromkeys(point[0] for series in chart.series for point in series.points))
    if chart.kind == "line":
        names.sort(key=str)
    width = (_WIDTH - _RIGHT - _LEFT) / len(names)
    places = {name: _LEFT + width * (at + 0.5) for at, name in enumerate(names)}
    parts = _names_below(places, width)
    base = up.at(max(up.low, 0))
    bar = width * 0.76 / len(chart.series)
    for at, (series, colour) in enumerate(zip(chart.series, _COLOURS)):
        if chart.kind == "line":
            points = sorted(series.points, key=lambda point: places[point[0]])
            dots = [(places[name], up.at(value), f"{name}: {told(value)}") for name, value in points]
            parts += _path(dots, colour, True, series.name)
            continue
        for name, value in series.points:
            x = places[name] - width * 0.38 + bar * at
            top, height = min(base, up.at(value)), abs(up.at(value) - base)
            hint = _hint(series.name, f"{name}: {told(value)}")
            parts.append(
                f'<rect class="mark" fill="{colour}" x="{x:.1f}" y="{top:.1f}" width="{max(bar - 1, 1):.1f}" '
                f'height="{height:.1f}" rx="1.5">{hint}</rect>'
            )
    return parts


def _names_below(places: dict[object, float], width: float) -> list[str]:
    """The names along the bottom: straight where they have room, else aslant, and then not each of them."""
    longest = max(len(str(name)) for name in places)
    straight = longest * 6.5 < width
    every = 1 if straight else max(1, math.ceil(16 / width))
    parts = []
    for at, (name, x) in enumerate(places.items()):
        if at % every:
            continue
        text = str(name) if len(str(name)) <= 16 or straight else f"{str(name)[:15]}…"
        y = _HEIGHT - _BOTTOM + (18 if straight else 14)
        if straight:
            parts.append(_text(x, y, text, "small", anchor="middle"))
        else:
            parts.append(f'<text class="small" text-anchor="end" transform="translate({x + 3:.1f} {y}) rotate(-32)">{escape(text)}</text>')
    return parts


def _path(dots: list[tuple[float, float, str]], colour: str, is_line: bool, name: str) -> list[str]:
    parts = []
    if is_line and len(dots) > 1:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in dots)
        parts.append(f'<polyline class="path" stroke="{colour}" points="{points}"/>')
    if not is_line or len(dots) <= 120:
        radius = 3.2 if is_line or len(dots) < 300 else 2
        parts += [
            f'<circle class="mark" fill="{colour}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}">{_hint(name, hint)}</circle>'
            for x, y, hint in dots
        ]
    return parts


def _legend(chart: Chart) -> list[str]:
    if len(chart.series) < 2:
        return []
    parts, x = [], _LEFT
    for series, colour in zip(chart.series, _COLOURS):
        name = series.name if len(series.name) <= 14 else f"{series.name[:13]}…"
        parts.append(f'<rect fill="{colour}" x="{x:.0f}" y="35" width="10" height="10" rx="2"/>')
        parts.append(_text(x + 14, 44, name, "small"))
        x += 28 + len(name) * 6.4
    return parts


def _hint(series: str, words: str) -> str:
    """What is told under the pointer."""
    return f"<title>{escape(f'{series}, {words}' if series else words)}</title>"


def _text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
