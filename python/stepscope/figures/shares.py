"""Rings: which share of the time of kernels each kind has, and each kernel within its kind."""
from __future__ import annotations

from typing import Any

from . import look

_MOST = 8


def _ring(labels: list[str], values: list[Any], colors: list[str], scale: look.Scale) -> Any:
    import plotly.graph_objects as go

    return go.Pie(labels=look.distinct(labels, 34), values=scale.all(values), sort=False, hole=0.45,
                  direction="clockwise", marker={"colors": colors, "line": {"color": "#ffffff", "width": 1}},
                  customdata=[look.shown(text) for text in labels], texttemplate="%{percent:.1%}", textposition="inside",
                  title={"text": _told(sum(values)), "position": "middle center"},
                  hovertemplate="%{customdata}<br>%{value" + scale.hover + ", %{percent}<extra></extra>")


def _told(time: int) -> str:
    scale = look.Scale("ns", [time])
    value = time / scale.by
    return f"{value:,.0f} {scale.unit}" if value >= 100 else f"{value:.3g} {scale.unit}"


def kinds(report: Any, table: Any) -> Any:
    """A ring of all ranks' kernel time by kind; time of communication during compute is a kind of its own."""
    values = table.to_dict()
    ranks = values.get("rank", ["all"] * len(table))
    every = [row for row in range(len(table)) if ranks[row] == "all"] or list(range(len(table)))
    told: dict[str, int] = {}
    for row in every:
        told[values["kinds"][row]] = told.get(values["kinds"][row], 0) + values["time"][row]
    of = dict(zip(values["kinds"], values["kind"]))
    shades = {kind: iter(look.shades(kind, list(of.values()).count(kind))) for kind in of.values()}
    colors = {name: next(shades[kind]) for name, kind in of.items()}
    ring = _ring(list(told), list(told.values()), [colors[name] for name in told], look.Scale("ns", told.values()))
    return look.figure([ring], f"{report.title}: time by kind, all ranks together", legend={"x": 0.72, "y": 0.5})


def kernels(report: Any, table: Any) -> Any:
    """A ring for each kind of work: its costliest kernels, all ranks together, and the rest as one; names below."""
    from plotly.subplots import make_subplots

    values = table.to_dict()
    names = list(dict.fromkeys(values["kind"]))
    grid = make_subplots(rows=1, cols=len(names), specs=[[{"type": "domain"}] * len(names)], subplot_titles=names)
    for place, kind in enumerate(names):
        rows = [row for row in range(len(table)) if values["kind"][row] == kind]
        labels, sums = _with_others([(values["name"][row], values["sum"][row]) for row in rows])
        grid.add_trace(_ring(labels, sums, look.shades(kind, len(labels)), look.Scale("ns", sums)), 1, place + 1)
    made = look.styled(grid, f"{report.title}: {table.title}").update_layout(showlegend=False, margin_t=80, height=380)
    made.update_annotations(font_size=13)
    return _named_below(made)


def _named_below(made: Any) -> Any:
    """A legend below each ring; without them where Plotly is older than 5.15, which has one legend for all."""
    most = max((len(ring.labels) for ring in made.data), default=0)
    try:
        for place, ring in enumerate(made.data):
            ring.legend = "legend" if place == 0 else f"legend{place + 1}"
            made.update_layout({ring.legend: {"x": sum(ring.domain.x) / 2, "y": -0.04, "xanchor": "center",
                                              "yanchor": "top", "font": {"size": 10}, "traceorder": "normal"}})
    except ValueError:
        return made
    return made.update_layout(showlegend=True, height=350 + 17 * most, margin_b=20 + 17 * most)


def _with_others(parts: list[tuple[str, int]]) -> tuple[list[str], list[int]]:
    ordered = sorted(parts, key=lambda part: -part[1])
    left = ordered[_MOST:]
    told = ordered[:_MOST] + ([(f"{len(left)} others", sum(value for _, value in left))] if left else [])
    return [name for name, _ in told], [value for _, value in told]
