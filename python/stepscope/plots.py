"""Draws reports with Plotly, which is imported when a figure is asked for."""
from __future__ import annotations

from typing import Any

from . import frames
from .errors import QuestionError

_MOST_BARS = 30
_MEASURED = ("ns", "ratio", "count", "bytes", "bytes/s", "FLOP", "FLOP/s")


def report_figure(report: Any, key: str | None = None) -> Any:
    """A plotly.graph_objects.Figure: of the report's curves, or bars of a table where a key is given or there are none.

    Columns of one unit stand beside each other for each of the first 30 rows.
    """
    frames.imported("plotly", "a figure", "plotly")
    import plotly.graph_objects as go

    if key is None and report.series:
        return _curves(go, report)
    return _bars(go, report, report.table(key))


def _curves(go: Any, report: Any) -> Any:
    curves = list(report.series.values())
    figure = go.Figure([go.Scatter(x=one.x, y=one.y, name=one.title, mode="lines") for one in curves])
    return figure.update_layout(title=report.title, xaxis_title=curves[0].x_unit, yaxis_title=curves[0].y_unit)


def _bars(go: Any, report: Any, table: Any) -> Any:
    values = table.to_dict()
    measured = [column for column in table.columns
                if column.role == "value" and not column.detail and column.unit in _MEASURED]
    if not measured:
        raise QuestionError(f"the table {table.key!r} of {report.name} has nothing to draw", "",
                            "name another: " + ", ".join(report.tables))
    drawn = [column for column in measured if column.unit == measured[0].unit]
    labels = _labels(table, values)
    figure = go.Figure([go.Bar(x=labels, y=values[column.key][:_MOST_BARS], name=column.title) for column in drawn])
    return figure.update_layout(title=f"{report.title}: {table.title}", yaxis_title=measured[0].unit,
                                barmode="group")


def _labels(table: Any, values: dict[str, list[Any]]) -> list[str]:
    keys = [column.key for column in table.columns if column.role == "key"]
    rows = range(min(len(table), _MOST_BARS))
    return [" ".join(str(values[key][row]) for key in keys) or str(row) for row in rows]
