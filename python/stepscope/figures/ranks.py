"""How ranks differ: each kernel's mean, shortest and longest duration by rank, and ranks by step as a heat map."""
from __future__ import annotations

import fnmatch
from typing import Any

from . import look
from .rows import measured

_MOST, _WIDE = 6, 2


def kernel_durations(report: Any, table: Any, name: str | None = None) -> Any:
    """A panel for each of the costliest kernels: its mean duration by rank, with whiskers to shortest and longest."""
    from plotly.subplots import make_subplots

    values = table.to_dict()
    names = _costliest(values, name)
    count = max(len(names), 1)
    lines = -(-count // _WIDE)
    grid = make_subplots(rows=lines, cols=min(count, _WIDE), vertical_spacing=0.35 / lines,
                         subplot_titles=[look.cut(one, 48) for one in names])
    for place, one in enumerate(names):
        rows = [row for row in range(len(table)) if values["name"][row] == one]
        scale = look.Scale("ns", [values["max"][row] for row in rows])
        at = {"row": 1 + place // _WIDE, "col": 1 + place % _WIDE}
        grid.add_trace(_durations(values, rows, scale), **at)
        grid.update_yaxes(title_text=scale.title("duration"), **at)
    which = ", of the costliest kernels" if len(names) > 1 else ""
    made = look.lined(look.styled(grid, f"{report.title}: duration by rank, mean with shortest and longest{which}"))
    made.update_layout(showlegend=False, margin_t=80, height=140 + 230 * lines)
    made.update_annotations(font_size=11)
    return made.update_xaxes(title_text="rank", showgrid=False, zeroline=False, dtick=1 if len(set(values["rank"])) <= 16 else None)


def _costliest(values: dict[str, list[Any]], pattern: str | None) -> list[str]:
    sums: dict[str, int] = {}
    for name, kind, time in zip(values["name"], values["kind"], values["sum"]):
        if fnmatch.fnmatchcase(name, pattern) if pattern else kind in ("compute", "communication"):
            sums[name] = sums.get(name, 0) + time
    return sorted(sums, key=lambda name: -sums[name])[:_MOST]


def _durations(values: dict[str, list[Any]], rows: list[int], scale: look.Scale) -> Any:
    import plotly.graph_objects as go

    mean, least, most = (scale.all(values[key][row] for row in rows) for key in ("mean", "min", "max"))
    color = look.color_of(values["kind"][rows[0]])
    return go.Bar(x=[values["rank"][row] for row in rows], y=mean, marker={"color": color},
                  customdata=[[look.shown(values["name"][row]), low, high, values["count"][row]]
                              for row, low, high in zip(rows, least, most)],
                  error_y={**_whiskers(mean, least, most), "thickness": 1},
                  hovertemplate="%{customdata[0]}<br>rank %{x}: mean %{y" + scale.hover + ", shortest %{customdata[1]"
                                + scale.hover + ", longest %{customdata[2]" + scale.hover
                                + ", %{customdata[3]} times<extra></extra>")


def _whiskers(mean: list[Any], least: list[Any], most: list[Any]) -> dict[str, Any]:
    """From the mean to the least and to the most, as a bar's error."""
    return {"type": "data", "symmetric": False, "array": [high - m for high, m in zip(most, mean)],
            "arrayminus": [m - low for m, low in zip(mean, least)], "color": look.TEXT}


def spread(report: Any, table: Any) -> Any:
    """Kernels by name: the mean over ranks, with whiskers to the means of the fastest and of the slowest rank."""
    import plotly.graph_objects as go

    values = {key: column[:20] for key, column in table.to_dict().items()}
    scale = look.Scale("ns", values["max"])
    mean, least, most = (scale.all(values[key]) for key in ("mean", "min", "max"))
    places = list(range(len(mean)))
    bar = go.Bar(y=places, x=mean, orientation="h", marker={"color": [look.color_of(kind) for kind in values["kind"]]},
                 error_x=_whiskers(mean, least, most),
                 customdata=list(zip(map(look.shown, values["name"]), least, values["fastest_rank"], most,
                                     values["slowest_rank"])),
                 hovertemplate="%{customdata[0]}<br>mean %{x" + scale.hover + "<br>shortest on rank %{customdata[2]}: "
                               "%{customdata[1]" + scale.hover + "<br>longest on rank %{customdata[4]}: %{customdata[3]"
                               + scale.hover + "<extra></extra>")
    names = {"tickvals": places, "ticktext": [look.cut(name) for name in values["name"]], "autorange": "reversed",
             "showgrid": False, "zeroline": False}
    left = look.first_of(len(places), len(table))
    return look.figure([bar], f"{report.title}: mean, with the fastest and the slowest rank{left}", yaxis=names,
                       xaxis={"title": {"text": scale.title("duration")}}, height=160 + 24 * len(places))


def is_rank_by_step(table: Any) -> bool:
    """Whether each row of a table is a step of a rank."""
    keys = [column.key for column in table.columns if column.role == "key"]
    return "step" in keys and "rank" in keys and set(keys) <= {"rank", "window", "device", "step"}


def heat(report: Any, table: Any, column: str | None = None) -> Any:
    """A heat map of one column: ranks below each other, steps from left to right."""
    import plotly.graph_objects as go

    key = measured(table, column)
    values = table.to_dict()
    title = next(one for one in table.columns if one.key == key)
    scale = look.Scale(title.unit, values[key])
    ranks, steps = sorted(set(values["rank"])), sorted(set(values["step"]))
    cells: dict[tuple[int, int], Any] = {}
    for rank, step, value in zip(values["rank"], values["step"], values[key]):
        cells[rank, step] = max((one for one in (cells.get((rank, step)), value) if one is not None), default=None)
    grid = [[scale.of(cells.get((rank, step))) for step in steps] for rank in ranks]
    drawn = go.Heatmap(x=steps, y=ranks, z=grid, colorscale=look.RAMP,
                       colorbar={"title": {"text": scale.title(title.title)}},
                       hovertemplate="rank %{y}, step %{x}: %{z" + scale.hover + "<extra></extra>")
    return look.figure([drawn], f"{report.title}: {title.title} by rank and step",
                       xaxis={"title": {"text": "step"}, "dtick": 1 if len(steps) <= 30 else None},
                       yaxis={"title": {"text": "rank"}, "autorange": "reversed",
                              "dtick": 1 if len(ranks) <= 16 else None})
