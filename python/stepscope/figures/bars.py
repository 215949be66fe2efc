"""Bars: of one column, of columns that make a whole, and of two runs beside each other."""
from __future__ import annotations

from typing import Any, Sequence

from . import look
from .rows import MEASURED, Rows, measured

_MOST_NAMES, _MOST_PAIRS, _LONG = 20, 12, 12


class _Axis:
    """Where rows stand: upright at their number, or lying below each other where names are long."""

    def __init__(self, rows: Rows) -> None:
        self.full = rows.labels()
        self.left = look.first_of(rows.count, rows.whole)
        self.lying = not rows.by_number and max(map(len, self.full), default=0) > _LONG
        self.title = rows.columns[rows.keys[0]].title if rows.by_number else ""
        self.places = rows.values[rows.keys[0]] if rows.by_number else list(range(rows.count))
        self.ticks = {} if rows.by_number else {"tickvals": self.places, "ticktext": [look.cut(t) for t in self.full]}

    def bar(self, values: list[Any], scale: look.Scale, name: str, **options: Any) -> Any:
        import plotly.graph_objects as go

        along, across = ("x", "y") if self.lying else ("y", "x")
        told = look.shown(name) + ": %{" + along + scale.hover
        return go.Bar(**{along: values, across: self.places}, orientation="h" if self.lying else "v",
                      name=look.shown(name), customdata=[look.shown(text) for text in self.full],
                      hovertemplate="%{customdata}<br>" + told + "<extra></extra>", **options)

    def figure(self, bars: Sequence[Any], title: str, value_title: str, **layout: Any) -> Any:
        values = {"title": {"text": value_title}}
        names = {"title": {"text": look.shown(self.title)}, "showgrid": False, "zeroline": False, **self.ticks}
        if not self.ticks and len(self.places) <= 32:
            names["dtick"] = 1
        if self.lying:
            names["autorange"] = "reversed"
            layout["height"] = 160 + (48 if layout.get("barmode") == "group" else 24) * len(self.places)
        axes = {"xaxis": values, "yaxis": names} if self.lying else {"xaxis": names, "yaxis": values}
        return look.figure(bars, title + self.left, **axes, **layout)


def plain(report: Any, table: Any, column: str | None = None, labels: tuple[str, ...] = ()) -> Any:
    """Bars of one column; each has the color of its kind."""
    key = measured(table, column)
    rows = Rows(table, _MOST_NAMES, labels)
    unit, title = rows.columns[key].unit, rows.columns[key].title
    scale, axis = look.Scale(unit, rows.values[key]), _Axis(rows)
    colors = [look.color_of(kind) if kind else look.AFTER for kind in rows.kinds(key)]
    bar = axis.bar(scale.all(rows.values[key]), scale, title, marker={"color": colors})
    return axis.figure([bar], f"{report.title}: {table.title}", scale.title(title), showlegend=False)


def stacked(report: Any, table: Any, columns: Sequence[str], kinds: Sequence[str] = ()) -> Any:
    """Bars of columns that make a whole, one upon the other, in the colors of their kinds."""
    rows = Rows(table, _MOST_NAMES)
    axis = _Axis(rows)
    chosen = [key for key in columns if key in rows.columns]
    sums = [sum(rows.values[key][row] or 0 for key in chosen) for row in range(rows.count)]
    scale = look.Scale(rows.columns[chosen[0]].unit, sums)
    colors = list(kinds) or [rows.columns[key].kind for key in chosen]
    bars = [axis.bar(scale.all(rows.values[key]), scale, rows.columns[key].title,
                     marker={"color": look.color_of(kind)}) for key, kind in zip(chosen, colors)]
    return axis.figure(bars, f"{report.title}: {table.title}", scale.title("share" if scale.unit == "%" else "time"),
                       barmode="stack")


def overlap(report: Any, table: Any) -> Any:
    """Bars of communication by rank: with compute beside it and without; the share that overlaps is written on them."""
    made = stacked(report, table, ["overlapped", "exposed"])
    shares = ["" if share is None else f"{share:.1%}" for share in table["overlap_ratio"]]
    made.data[0].update(text=shares, textposition="inside", insidetextanchor="middle", textfont={"color": "#ffffff"})
    return made


def parts_of(table: Any) -> list[str]:
    """The columns of a table that are times of a kind, none a detail: the parts of a step."""
    values = table.to_dict()
    return [one.key for one in table.columns
            if one.unit == "ns" and one.kind and not one.detail and any(values[one.key])]


def stacked_rows(report: Any, table: Any, part: str, column: str) -> Any:
    """Rows that are parts of a whole, one upon the other, for each rank that the table has."""
    import plotly.graph_objects as go

    values = table.to_dict()
    ranks = values.get("rank") or ["all"] * len(table)
    places = sorted(set(ranks))
    scale = look.Scale("ns", values[column])
    traces = []
    for name in dict.fromkeys(values[part]):
        here = [row for row in range(len(table)) if values[part][row] == name]
        told = {rank: sum(values[column][row] or 0 for row in here if ranks[row] == rank) for rank in places}
        traces.append(go.Bar(x=[f"rank {rank}" if isinstance(rank, int) else str(rank) for rank in places],
                             y=scale.all(told.values()), name=look.shown(name),
                             marker={"color": look.color_of(values["kind"][here[0]])},
                             hovertemplate="%{x}<br>" + look.shown(name) + ": %{y" + scale.hover + "<extra></extra>"))
    return look.figure(traces, f"{report.title}: {table.title}", barmode="stack",
                       yaxis={"title": {"text": scale.title("time")}})


def pairs(table: Any) -> list[Any]:
    """The columns of the first of two runs, those that a table has of the second, too."""
    keys = {column.key for column in table.columns}
    return [one for one in table.columns if one.key.endswith("_a") and one.key[:-2] + "_b" in keys]


def measured_pair(table: Any, column: str | None = None) -> str | None:
    """The key, without its ending, of the columns of two runs to draw; None where no two are numbers, or not this one."""
    stem = column[:-2] if column is not None and column.endswith(("_a", "_b")) else column
    known = [one for one in pairs(table) if one.unit in MEASURED and stem in (None, one.key[:-2])]
    return min(known, key=lambda one: MEASURED.index(one.unit)).key[:-2] if known else None


def before_after(report: Any, table: Any, key: str) -> Any:
    """Bars of a run before and after a change, and what the change is on hover; rows are those of the table.

    key: of the columns key_a and key_b, as measured_pair() tells it.
    """
    rows = Rows(table, _MOST_PAIRS)
    before, after = rows.values[key + "_a"], rows.values[key + "_b"]
    unit = rows.columns[key + "_a"].unit
    scale, axis = look.Scale(unit, [*before, *after]), _Axis(rows)
    changes = [_change(unit, *values) for values in zip(before, after)]
    bars = [axis.bar(scale.all(before), scale, "before", marker={"color": look.BEFORE}),
            axis.bar(scale.all(after), scale, "after", marker={"color": look.AFTER}, text=changes,
                     textposition="outside", cliponaxis=False)]
    title = rows.columns[key + "_a"].title.rpartition(",")[0] or key
    return axis.figure(bars, f"{report.title}: {table.title}", scale.title(title), barmode="group", margin_r=70,
                       legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom"})


def _change(unit: str, before: Any, after: Any) -> str:
    """Of shares, the difference in percentage points."""
    if before is None or after is None:
        return "new" if before is None else "gone"
    if unit == "ratio":
        return f"{100 * (after - before):+.1f} pp"
    if before == after:
        return "="
    return f"{(after - before) / before:+.1%}" if before else "new"
