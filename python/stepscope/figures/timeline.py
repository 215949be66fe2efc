"""What devices did, rank below rank: boxes of the kinds of activities over time."""
from __future__ import annotations

import os
from typing import Any, Iterable, NamedTuple

import numpy as np

from .._asking import Steps, steps_text
from ..errors import QuestionError
from . import look

_STEP = "`step`"
_KINDS = ("communication", "memory", "compute")  # in the order in which they are drawn
_COLUMNS = ("name", "kind", "start", "duration", "stream")
_PIXELS, _MOST_BY_STREAM = 1500, 8
# In a row for all streams of a rank: where each kind is drawn, from above, so that what overlaps is seen.
_STRIPS = {"compute": (-0.42, 0.48), "communication": (0.08, 0.34), "memory": (0.08, 0.34)}


class Box(NamedTuple):
    """Activities of one kind that follow each other closer than a pixel; ns."""

    lane: str
    kind: str
    start: int
    end: int
    count: int
    longest: str


class _Lane(NamedTuple):
    name: str
    kind: str
    start: Any
    end: Any
    names: Any
    dictionary: Any


def timeline(run: Any, ranks: Iterable[int], step: Steps) -> Any:
    """The figure of Run.timeline()."""
    chosen = list(ranks)
    by_stream = len(chosen) <= _MOST_BY_STREAM
    step = None if step is None else steps_text(step, _STEP)
    ahead, lanes, without = _clocks(run), [], []
    for rank in chosen:
        try:
            lanes += _lanes(run, rank, step, by_stream, ahead.get(rank, 0))
        except QuestionError as error:
            if error.where != _STEP:
                raise
            without.append(error)  # another rank may have it
    if without and len(without) == len(chosen):
        raise without[0]
    if not lanes and not without:
        raise QuestionError("no device activities were recorded", "", "run.show() draws the threads of the host; "
                            'run.events(kind="operator") has what they did')
    return _figure(run.name, lanes, step, by_stream)


def _clocks(run: Any) -> dict[int, int]:
    """How far each rank's clock is ahead, ns, where its collectives with others tell."""
    answer = run.collectives()
    table = answer.tables.get("ranks")
    return {} if table is None else {rank: offset or 0 for rank, offset in zip(table["rank"], table["clock_offset"])}


def _lanes(run: Any, rank: int, step: str | None, by_stream: bool, ahead: int) -> list[_Lane]:
    core = run.events(rank, _COLUMNS, "device", step)._core
    names, _, dictionary = core.parts("name")
    codes, _, kinds = core.parts("kind")
    streams, missing, _ = core.parts("stream")
    start, duration = core.parts("start")[0] - ahead, core.parts("duration")[0]
    streams = np.where(missing, -1, streams) if missing is not None else streams
    of = np.array([_KINDS.index(_drawn_kind(kind)) for kind in kinds])[codes] if len(codes) else codes
    lanes = []
    for stream in np.unique(streams) if by_stream else [None]:
        here = np.ones(len(start), bool) if stream is None else streams == stream
        label = f"rank {rank}" if stream is None else f"rank {rank}, stream {stream}"
        for place, kind in enumerate(_KINDS):
            mine = here & (of == place)
            if mine.any():
                lanes.append(_Lane(label, kind, start[mine], (start + duration)[mine], names[mine], dictionary))
    return lanes


def _drawn_kind(kind: str) -> str:
    return kind if kind in ("compute", "communication") else "memory"


def boxes(lane: _Lane, resolution: float) -> list[Box]:
    """The boxes of a lane: activities closer than the resolution, in ns, are one."""
    order = np.argsort(lane.start, kind="stable")
    start, end, names = lane.start[order], lane.end[order], lane.names[order]
    reached = np.maximum.accumulate(end)
    first = np.flatnonzero(np.concatenate([[True], start[1:] > reached[:-1] + resolution]))
    last = np.append(first[1:], len(start)) - 1
    made = []
    for low, high in zip(first, last):
        longest = low + int(np.argmax(end[low:high + 1] - start[low:high + 1]))
        made.append(Box(lane.name, lane.kind, int(start[low]), int(reached[high]), int(high - low + 1),
                        str(lane.dictionary[names[longest]])))
    return made


def _figure(name: str, lanes: list[_Lane], step: str | None, by_stream: bool) -> Any:
    begin = min((int(lane.start.min()) for lane in lanes), default=0)
    end = max((int(lane.end.max()) for lane in lanes), default=1)
    scale = look.Scale("ns", [end - begin])
    rows = list(dict.fromkeys(lane.name for lane in lanes))
    traces = []
    for kind in _KINDS:
        of_kind = [box for lane in lanes if lane.kind == kind for box in boxes(lane, (end - begin) / _PIXELS)]
        if of_kind:
            traces.append(_bars(of_kind, kind, begin, scale).update({} if by_stream else _strip(kind)))
    title = f"{os.path.basename(name.rstrip('/'))}: device activities" + (_of_steps(step))
    pixels = max(8, min(28, 900 // max(len(rows), 1)))  # of each row
    order = {"categoryorder": "array", "categoryarray": rows, "autorange": "reversed", "showgrid": False,
             "dtick": -(-16 // pixels)}
    times = {"title": {"text": scale.title("time")}, "range": [0, scale.of(end - begin)]}
    return look.figure(traces, title, barmode="overlay", xaxis=times, yaxis=order, bargap=0.15,
                       height=160 + pixels * len(rows))


def _of_steps(step: str | None) -> str:
    return "" if step in (None, "all") else f" of step {step}" if step.isdigit() else f" of steps {step}"


def _strip(kind: str) -> dict[str, float]:
    offset, width = _STRIPS[kind]
    return {"offset": offset, "width": width}


def _bars(drawn: list[Box], kind: str, begin: int, scale: look.Scale) -> Any:
    import plotly.graph_objects as go

    color = look.color_of(kind)
    told = [f"{box.count:,} activities, the longest: {look.shown(box.longest)}" if box.count > 1
            else look.shown(box.longest) for box in drawn]
    return go.Bar(y=[box.lane for box in drawn], base=[scale.of(box.start - begin) for box in drawn],
                  x=[scale.of(box.end - box.start) for box in drawn], orientation="h", name=kind, customdata=told,
                  marker={"color": color, "line": {"color": color, "width": 1 if kind == "memory" else 0.5}},
                  hovertemplate=f"%{{y}}: %{{customdata}}<br>%{{x{scale.hover} from %{{base{scale.hover}<extra></extra>")
