"""Curves over time or steps, the queue of each rank's busiest stream, and histograms of launches."""
from __future__ import annotations

import re
from typing import Any, Iterable, Sequence

from . import look

_MOST = 8
_QUEUE = re.compile(r"outstanding\.rank(\d+)\..*")


def _curve(one: Any, place: int, x: look.Scale, y: look.Scale, name: str, shape: str = "linear") -> Any:
    import plotly.graph_objects as go

    line = {"color": look.CURVES[place % len(look.CURVES)], "dash": look.DASHES[place // len(look.CURVES) % 6],
            "shape": shape, "width": 1.6}
    told = look.shown(name) + "<br>%{x" + x.hover + ": %{y" + y.hover + "<extra></extra>"
    return go.Scatter(x=x.all(one.x), y=y.all(one.y), name=look.cut(name), line=line, hovertemplate=told,
                      mode="lines" if len(one.x) > 1 else "markers")


def _drawn(title: str, curves: Sequence[Any], names: Iterable[str], shape: str = "linear", y_title: str = "") -> Any:
    """Curves of one unit in one picture."""
    first = curves[0]
    x = look.Scale(first.x_unit, (value for one in curves for value in one.x))
    y = look.Scale(first.y_unit, (value for one in curves for value in one.y))
    traces = [_curve(one, place, x, y, name, shape) for place, (one, name) in enumerate(zip(curves, names))]
    steps = first.x_unit != "ns" and max(first.x) - min(first.x) <= 30
    return look.figure(traces, title, xaxis={"title": {"text": x.title("time" if first.x_unit == "ns" else "step")},
                                             "dtick": 1 if steps else None},
                       yaxis={"title": {"text": y.title(y_title or _quantity(first.y_unit))}, "rangemode": "tozero"},
                       showlegend=True)


def _quantity(unit: str) -> str:
    return {"ns": "time", "ratio": "share", "bytes": "memory", "bytes/s": "bandwidth", "count": "count"}.get(unit, unit)


def curves(report: Any) -> Any:
    """The report's curves of the unit that most have: up to 8, as they come."""
    every = list(report.series.values())
    units = [(one.x_unit, one.y_unit) for one in every]
    most = max(dict.fromkeys(units), key=units.count)
    chosen = [one for one in every if (one.x_unit, one.y_unit) == most][:_MOST]
    shape = "hv" if most[0] == "ns" else "linear"  # a value stays until the next is told
    title = report.title + look.first_of(len(chosen), units.count(most))
    return _drawn(title, chosen, [one.title for one in chosen], shape)


def queue(report: Any) -> Any:
    """Activities launched and not finished, over time, on each rank's fullest stream; at most 8 ranks."""
    streams: dict[int, list[Any]] = {}
    for key, one in report.series.items():
        matched = _QUEUE.fullmatch(key)
        if matched:
            streams.setdefault(int(matched[1]), []).append(one)
    chosen = [max(streams[rank], key=lambda one: max(one.y)) for rank in sorted(streams)[:_MOST]]
    names = [one.title.rpartition(" on ")[2] for one in chosen]
    title = f"{report.title}: activities outstanding" + look.first_of(len(chosen), len(streams))
    return _drawn(title + (" ranks" if len(chosen) < len(streams) else ""), chosen, names, "hv", "activities")


def histograms(report: Any) -> Any:
    """How often launches took how long: delays on a logarithmic axis, and calls that took longer than their kernel."""
    from plotly.subplots import make_subplots

    told = [one for one in report.series.values() if any(one.y)]
    grid = make_subplots(rows=1, cols=max(len(told), 1), subplot_titles=[look.shown(one.title) for one in told])
    for place, one in enumerate(told):
        grid.add_trace(_histogram(one), 1, place + 1)
        wide = one.x[-1] > 1000 * max(one.x[0], 1)
        title = one.title.partition(" histogram")[0].lower()
        grid.update_xaxes(title_text=f"{title} (µs)", type="log" if wide else "linear", row=1, col=place + 1)
    made = look.lined(look.styled(grid, f"{report.title}: how many took how long"))
    made.update_layout(showlegend=False, margin_t=80).update_annotations(font_size=13)
    return made.update_xaxes(tickformat=",~g").update_yaxes(title_text="launches", rangemode="tozero", tickformat=",~g")


def _histogram(one: Any) -> Any:
    """Steps from each edge to the next; an edge at 0 is drawn at half of the next, where a logarithm exists."""
    import plotly.graph_objects as go

    edges = [edge or one.x[1] / 2 for edge in one.x]
    ranges = [f"{low / 1000:,g} to {high / 1000:,g} µs" for low, high in zip(one.x, [*one.x[1:], one.x[-1]])]
    return go.Scatter(x=[edge / 1000 for edge in edges], y=list(one.y), mode="lines", fill="tozeroy", customdata=ranges,
                      line={"shape": "hv", "color": look.color_of("launch"), "width": 1.5},
                      hovertemplate="%{customdata}: %{y:,}<extra></extra>")
