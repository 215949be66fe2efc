"""The life of a long job: what each attempt spent its time on, one below the other."""
from __future__ import annotations

from typing import Any

from . import look


def segments(report: Any, table: Any) -> Any:
    """Boxes of each attempt's time in order, in the colors of their kinds; 0 is the start of the job."""
    import plotly.graph_objects as go

    values = table.to_dict()
    scale = look.Scale("ns", [start + lasted for start, lasted in zip(values["start"], values["duration"])])
    traces = []
    for bucket in dict.fromkeys(values["bucket"]):
        rows = [row for row, one in enumerate(values["bucket"]) if one == bucket]
        traces.append(go.Bar(
            y=[values["attempt"][row] for row in rows], base=[scale.of(values["start"][row]) for row in rows],
            x=[scale.of(values["duration"][row]) for row in rows], orientation="h", name=look.cut(bucket, 44),
            marker={"color": look.color_of(values["kind"][rows[0]])},
            hovertemplate=f"{look.shown(bucket)}: %{{x{scale.hover} from %{{base{scale.hover}<extra></extra>"))
    attempts = len(set(values["attempt"]))
    return look.figure(traces, f"{report.title}: attempts over time", barmode="overlay",
                       height=230 + min(900, 34 * attempts),
                       legend={"orientation": "h", "y": -0.3, "yanchor": "top", "x": 0, "traceorder": "normal"},
                       xaxis={"title": {"text": scale.title("time since the start")}},
                       yaxis={"title": {"text": "attempt"}, "autorange": "reversed", "showgrid": False,
                              "dtick": 1 if attempts <= 30 else None})
