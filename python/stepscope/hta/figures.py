"""Figures of HTA's methods, with Plotly where it is installed; without it they are left out, with a warning."""
from __future__ import annotations

import logging
from typing import Any, Iterable

logger = logging.getLogger("stepscope.hta")


def plotly() -> Any:
    """Returns plotly.express, or None where it is not installed."""
    try:
        import plotly.express as px
    except ImportError:
        logger.warning("no figure is drawn: install plotly, or pass visualize=False")
        return None
    return px


def _show(fig: Any, renderer: str | None = "") -> None:
    fig.show(renderer=renderer or None)


def shares(df: Any, columns: list[str], title: str, y_title: str) -> None:
    """Bars of percentages by rank, stacked."""
    if (px := plotly()) is not None:
        fig = px.bar(df, x="rank", y=columns, title=title)
        fig.update_layout(yaxis_ticksuffix="%", yaxis_title=y_title)
        _show(fig)


def overlap(df: Any) -> None:
    """Bars of the overlap of communication with compute, by rank."""
    shares(df, ["comp_comm_overlap_pctg"], "Computation-Communication Overlap", "Overlap (%)")


def temporal(df: Any) -> None:
    """Stacked bars of idle, compute and other time, by rank."""
    names = ["idle_time_pctg", "compute_time_pctg", "non_compute_time_pctg"]
    shares(df, names, "Temporal breakdown across ranks", "Percentage")


def kernels(types: Any, names: Any, renderer: str) -> None:
    """A pie of types, and per type a pie of kernels by rank and bars of each kernel's mean duration."""
    if (px := plotly()) is None:
        return
    title = "Kernel Type Percentage Across All Ranks"
    _show(px.pie(types[types["percentage"] > 0], values="percentage", names="kernel_type", title=title), renderer)
    for kind, part in names.groupby("kernel_type", sort=False):
        annotated(part, f'Kernel type "{kind}"', renderer)


def annotated(names: Any, title: str, renderer: str | None) -> None:
    """Pies of names by rank, and for each name bars of its mean duration by rank, with its least and largest."""
    if (px := plotly()) is None or names.empty:
        return
    pies = px.pie(names, values="sum (us)", names="name", facet_col="rank", facet_col_wrap=2,
                  title=f"{title} - distribution on each rank")
    pies.update_layout(height=400 * (1 + names["rank"].nunique() / 2))
    _show(pies, renderer)
    for name, part in names[names["name"] != "others"].groupby("name", sort=False):
        _show(px.bar(part, x="rank", y="mean (us)", title=f"{title} - {name}",
                     error_y=part["max (us)"] - part["mean (us)"],
                     error_y_minus=part["mean (us)"] - part["min (us)"]), renderer)


def idle(df: Any, rank: int, as_share: bool) -> None:
    """Stacked bars of idle time by cause, by stream."""
    if (px := plotly()) is None:
        return
    fig = px.bar(df.assign(stream=df["stream"].astype(str)), x="stream", color="idle_category",
                 y="idle_time_ratio" if as_share else "idle_time", hover_data=["idle_time", "idle_time_ratio"],
                 title=f"Idle time breakdown on rank {rank} per CUDA stream")
    fig.update_layout(yaxis_title="Percentage" if as_share else "Idle time (us)",
                      yaxis_tickformat=".2%" if as_share else None)
    _show(fig)


def launches(df: Any, rank: int, runtime_cutoff: float, launch_delay_cutoff: float) -> None:
    """Histograms of short kernels, long calls and long delays."""
    short = df[(df["cpu_duration"] <= runtime_cutoff) & (df["gpu_duration"] < df["cpu_duration"])]
    _histogram(short, "cpu_duration", f"Short GPU kernels (gpu op duration < cpu op duration) on rank {rank}")
    _histogram(df[df["cpu_duration"] > runtime_cutoff], "cpu_duration",
               f"Runtime Event Duration Outliers (duration > {runtime_cutoff} us) on rank {rank}")
    _histogram(df[df["launch_delay"] > launch_delay_cutoff], "launch_delay",
               f"Launch Delay Outliers (duration > {launch_delay_cutoff} us) on rank {rank}")


def _histogram(df: Any, column: str, title: str) -> None:
    if (px := plotly()) is not None:
        _show(px.histogram(df, x=column, nbins=300, title=title, labels={column: f"{column} (us)"}))


def operators(df: Any, rank: int) -> None:
    """A table of operators, their kernels and delays."""
    if plotly() is None:
        return
    import plotly.graph_objects as go

    fig = go.Figure(go.Table(header={"values": list(df.columns)},
                             cells={"values": [df[c] for c in df.columns], "align": "left"}))
    fig.update_layout(title=f"ATen operators, their kernels and delays on rank {rank}")
    _show(fig)


def patterns(df: Any, rank: int) -> None:
    """Bars of the most frequent sequences."""
    if (px := plotly()) is None:
        return
    lines = df.assign(pattern=df["pattern"].str.replace("|", "<br>", regex=False))
    fig = px.bar(lines, x=lines.index, y="count", hover_data=["pattern", "count"],
                 title=f"Top {len(df)} frequent patterns for rank {rank}", labels={"index": "Pattern Index"})
    fig.update_xaxes(type="category")
    _show(fig)


def stragglers(blamed: Iterable[tuple[int, bool]]) -> None:
    """Bars that mark the ranks that others wait for."""
    if (px := plotly()) is not None:
        ranks, marks = zip(*blamed)
        _show(px.bar(x=ranks, y=[int(mark) for mark in marks], title="Potential Stragglers", labels={"x": "rank", "y": ""}))


def difference(df: Any, suffix: str, change: str, title: str, show: bool, path: str | None) -> None:
    """Bars of both traces and their difference, by name."""
    if not (show or path) or plotly() is None:
        return
    import plotly.graph_objects as go

    labels = [column[:-len("_total_duration")] for column in df.columns if column.endswith("_total_duration")]
    fig = go.Figure([go.Bar(name=label, x=df.index, y=df[label + suffix]) for label in labels])
    fig.add_bar(name="Difference", x=df.index, y=df[change])
    fig.update_layout(barmode="group", title_text=title)
    if show:
        _show(fig)
    if path:
        fig.write_image(path)


def memory(milliseconds: Any, stacked: Any, names: list[str]) -> Any:
    """Areas of each category's memory over time. Raises ImportError without Plotly."""
    try:
        import plotly.graph_objects as go
    except ImportError:
        raise ImportError("the memory timeline is drawn by plotly: pip install plotly") from None
    fig = go.Figure([go.Scatter(x=milliseconds, y=stacked[:, place], mode="lines", fill="tonexty", name=name)
                     for place, name in enumerate(names)])
    fig.update_layout(title_text="Memory timeline", xaxis_title="Time (ms)", yaxis_title="Memory (GiB)")
    return fig
