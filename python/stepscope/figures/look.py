"""What figures have in common: colors by kind of time, units of axes, names that fit."""
from __future__ import annotations

import html
from typing import Any, Iterable, Sequence

# As ui/src/shell/palette.ts has them, on white.
KINDS = {
    "compute": "#00795c", "communication": "#0064a8", "memory": "#9a5b93", "overlap": "#2f7f7f", "forward": "#2e7d32",
    "backward": "#0b7285", "optimizer": "#7a4fa3", "launch": "#3f51b5", "host": "#806200", "compilation": "#5c6f7b",
    "input": "#c0301a", "output": "#8c564b", "wait": "#f0e05a", "idle": "#c9ccd1", "productive": "#00795c",
    "in_progress": "#2f7f7f", "startup": "#806200", "checkpoint": "#9a5b93", "wasted": "#8e1b1b", "recovery": "#f0e05a",
    "elastic": "#3f51b5", "queued": "#c9ccd1", "custom": "#7a4fa3", "excluded": "#5c6f7b", "other": "#6b717b",
}
CURVES = ["#0064a8", "#c0301a", "#00795c", "#9a5b93", "#806200", "#3f51b5", "#6b717b", "#2f7f7f"]
DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"]
BEFORE, AFTER = "#545b66", "#0b57d0"
RAMP = ["#eef3f9", "#08417c"]
_PAGE, _LINE, TEXT = "#ffffff", "#d4d8de", "#1c1f24"

_STEPS = {
    "ns": [(3600e9, "h"), (1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")],
    "bytes": [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")],
    "bytes/s": [(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1, "B/s")],
    "FLOP": [(1e12, "TFLOP"), (1e9, "GFLOP"), (1, "FLOP")],
    "FLOP/s": [(1e12, "TFLOP/s"), (1e9, "GFLOP/s"), (1, "FLOP/s")],
    "ratio": [(0.01, "%")],
}


class Scale:
    """The unit that values are drawn in: the largest in which the largest of them is at least 1.

        Scale("ns", [1200, 3_000_000]).of(1500)     # 0.0015, as .unit is "ms"
    """

    def __init__(self, unit: str, values: Iterable[Any]) -> None:
        most = max((abs(value) for value in values if value is not None), default=0)
        steps = _STEPS.get(unit, [(1, "")])
        self.by, self.unit = next((step for step in steps if most >= step[0]), steps[-1])

    def of(self, value: Any) -> float | None:
        """A value in this unit; None stays None."""
        return None if value is None else value / self.by

    def all(self, values: Iterable[Any]) -> list[float | None]:
        """Values in this unit."""
        return [self.of(value) for value in values]

    def title(self, text: str) -> str:
        """The title of an axis: "idle (ms)"."""
        return f"{shown(text)} ({self.unit})" if self.unit else shown(text)

    @property
    def hover(self) -> str:
        """How a value is written on hover, after its place in the template: "%{y:.4~g} ms"."""
        return f":,.4~g}} {self.unit}"


def shown(text: Any) -> str:
    """Text for a figure, which reads some tags: names in traces come from strangers, and templates have brackets."""
    visible = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text))
    return html.escape(visible, quote=False)


def shortened(text: str, most: int) -> str:
    """At most so many characters, cut in the middle, so that different names stay different."""
    tail = most // 3
    return text if len(text) <= most else text[:most - tail - 1] + "…" + text[-tail:]


def cut(text: Any, most: int = 40) -> str:
    """Text for a figure, at most so many characters of it."""
    return shown(shortened(str(text), most))


def distinct(names: Sequence[str], most: int) -> list[str]:
    """Names for a figure, cut; those that are then the same are numbered, as a ring adds up what has one name."""
    short = [cut(name, most) for name in names]
    return [text if short.count(text) == 1 else f"{text} ({short[:place].count(text) + 1})"
            for place, text in enumerate(short)]


def first_of(count: int, whole: int) -> str:
    """What is said after a title where not all is drawn: ", 8 of 24"."""
    return f", {count:,} of {whole:,}" if count < whole else ""


def color_of(kind: Any) -> str:
    """The color of a kind of time; of others and of None the color of "other"."""
    return KINDS.get(kind, KINDS["other"])


def shades(kind: Any, count: int) -> list[str]:
    """So many shades of a kind's color, the color itself first."""
    base = [int(color_of(kind)[i:i + 2], 16) for i in (1, 3, 5)]
    steps = [0.75 * place / max(count - 1, 1) for place in range(count)]
    return ["#" + "".join(f"{round(c + (255 - c) * step):02x}" for c in base) for step in steps]


def figure(traces: Sequence[Any], title: str, **layout: Any) -> Any:
    """A figure with the one look. layout: as for update_layout()."""
    import plotly.graph_objects as go

    return lined(styled(go.Figure(list(traces)), title)).update_layout(**layout)


def styled(made: Any, title: str) -> Any:
    """Gives a figure that is there, such as a grid of panels, its title and the one look, but for its axes."""
    return made.update_layout(
        title={"text": shown(title), "x": 0.01, "xanchor": "left", "y": 1, "yref": "container", "yanchor": "top",
               "pad": {"t": 14}, "font": {"size": 15}},
        bargap=0.25, paper_bgcolor=_PAGE, plot_bgcolor=_PAGE, template="none", hoverlabel={"align": "left"},
        font={"color": TEXT, "size": 12, "family": "sans-serif"}, legend={"traceorder": "normal"},
        margin={"l": 60, "r": 20, "t": 50, "b": 50}, uniformtext={"minsize": 10, "mode": "hide"})


def lined(made: Any) -> Any:
    """Gives all axes of a figure the one look."""
    axis = {"gridcolor": _LINE, "linecolor": _LINE, "zerolinecolor": _LINE, "automargin": True, "title_standoff": 8}
    return made.update_xaxes(**axis).update_yaxes(**axis)
