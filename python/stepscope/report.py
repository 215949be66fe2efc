"""Reports, and what they hold: metrics, tables, findings, curves and notes, as plain values."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator

from . import _core, frames
from .errors import QuestionError, UseError


@dataclass(frozen=True)
class Column:
    """A column of a table.

    unit: "ns", "ratio" (0..1), "count", "bytes", "bytes/s", "FLOP", "FLOP/s", "unix_ns", "ratio_difference", or "" for
    text and identifiers. role: "key" says which row it is, "value" what was measured for it. detail: text leaves it out.
    """

    key: str
    title: str
    unit: str
    role: str
    kind: str = ""
    detail: bool = False


@dataclass(frozen=True)
class Finding:
    """Something worth acting on.

    message: the problem and its size; because: the numbers that show it; hint: one thing to try. impact: ns of one
    rank's time that mending it could save at most, per_step: the same per step; 0 is unknown. share: of one rank's time,
    0..1. place: 1, 2, ... by impact among all findings of the answer. table: key of the table that shows it. cause, rank,
    step, since: what it is due to, where, and from which step on; None where it is not of one.
    """

    severity: str
    message: str
    because: str
    hint: str
    impact: int
    per_step: int
    share: float
    place: int
    table: str | None = None
    cause: str | None = None
    rank: int | None = None
    step: int | None = None
    since: int | None = None


@dataclass(frozen=True)
class Note:
    """A limit of the answer: its name, how often, what happened, and the file (None: the whole run)."""

    name: str
    count: int
    message: str
    where: str | None = None


@dataclass(frozen=True)
class Series:
    """A curve: points (x[i], y[i])."""

    key: str
    title: str
    x_unit: str
    y_unit: str
    x: list[float] = field(repr=False)
    y: list[float] = field(repr=False)


def _named(name: str, known: Any, what: str) -> Any:
    """The value of a name in a mapping. Raises QuestionError with the nearest name there is."""
    if name in known:
        return known[name]
    near = _core.nearest_name(str(name), list(known))
    hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(known) or 'none'}"
    raise QuestionError(f"there is no {what} {name!r}", "", hint)


class _Kept:
    """What stays in this process: its values are memory of the core."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        what = type(self).__name__
        raise UseError(f"a {what} cannot be pickled", "", "send its values: those of .df() or .to_dict() of its tables"
                       if what != "Reports" else "send its values: .to_json(), or .df() of its tables")

    def __copy__(self) -> Any:
        return self  # nothing changes it

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class Table(_Kept):
    """A table of a report: len() rows, the most important one first.

    It is an Arrow stream: `pyarrow.table(table)`, `polars.DataFrame(table)` and `duckdb` read it without a copy.
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        self.key: str = core.key
        self.title: str = core.title
        self.columns: list[Column] = [Column(**column) for column in core.columns]
        self.bars: str = core.bars  # the column that plot() draws, of tables without a figure of their own

    def __len__(self) -> int:
        return len(self._core)

    def column(self, key: str) -> Column:
        """The column of this key. Raises QuestionError, with the nearest one, where there is none."""
        return _named(key, {column.key: column for column in self.columns}, "column")

    def to_dict(self) -> dict[str, list[Any]]:
        """The values by column: {"rank": [0, 1], "idle": [1200, None]}; None is not known."""
        return self._core.data().to_dict()

    def __getitem__(self, key: str) -> list[Any]:
        """The values of a column. Raises QuestionError, with the nearest one, where there is none."""
        return self.to_dict()[self.column(key).key]

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows as dicts, one after another."""
        columns = self.to_dict()
        for values in zip(*columns.values()):
            yield dict(zip(columns, values))

    def df(self, *, library: str | None = None) -> Any:
        """A DataFrame of pandas, or else Polars; library: "pandas" or "polars". Raises MissingLibrary without it."""
        return frames.frame(self._core.data(), library)

    def arrow(self) -> Any:
        """A pyarrow.Table over the same memory. Raises MissingLibrary without pyarrow."""
        return frames.arrow_table(self._core.data())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._core.data().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Table {self.key!r}: {len(self)} rows, {', '.join(column.key for column in self.columns)}>"

    def _repr_html_(self) -> str:
        from .html import table_html

        return table_html(self)


class Report(_Kept):
    """The answer of one analysis.

    name, title; status: "ok", "partial" (why says which ranks could not answer) or "unavailable" (why says what is
    missing; there are no tables); headline: the answer in one sentence; metrics: single numbers by key; tables by key;
    findings; notes; series: curves by key.

        report = run.idle_time()
        report.metrics["idle_ratio"], report.df("streams"), report.findings[0].hint
    """

    def __init__(self, answer: Any, place: int) -> None:
        self._core, self._place = answer, place
        data = answer.report(place)
        self.name: str = data["name"]
        self.title: str = data["title"]
        self.status: str = data["status"]
        self.why: str = data["why"]
        self.headline: str = data["headline"]
        self.metrics: dict[str, Any] = {metric["key"]: metric["value"] for metric in data["metrics"]}
        self.units: dict[str, str] = {metric["key"]: metric["unit"] for metric in data["metrics"]}
        self.tables: dict[str, Table] = {table.key: Table(table) for table in data["tables"]}
        self.series: dict[str, Series] = {series["key"]: Series(**series) for series in data["series"]}
        self.findings: list[Finding] = [Finding(hint=one.pop("try"), **one) for one in data["findings"]]
        self.notes: list[Note] = [Note(**note) for note in data["notes"]]

    def table(self, key: str | None = None) -> Table:
        """The table of this key; without one, the first. Raises QuestionError, with the nearest, where there is none."""
        if key is not None:
            return _named(key, self.tables, f"table in {self.name}")
        if not self.tables:
            raise QuestionError(f"{self.name} has no table: {self.why or 'it answers in one sentence'}")
        return next(iter(self.tables.values()))

    def df(self, key: str | None = None, *, library: str | None = None) -> Any:
        """table(key) as a DataFrame of pandas, or else Polars; library: "pandas" or "polars"."""
        return self.table(key).df(library=library)

    def arrow(self, key: str | None = None) -> Any:
        """table(key) as a pyarrow.Table."""
        return self.table(key).arrow()

    def plot(self, key: str | None = None, *, column: str | None = None, name: str | None = None) -> Any:
        """A figure of Plotly, as the page draws it: the report's curves, or the table of this key.

        column: which column, in place of the one that tells most. name: a pattern of kernel names, for the table
        "kernels" of kernel_breakdown: their durations by rank. Raises MissingLibrary without Plotly, QuestionError
        where there is nothing to draw.

            run.temporal_breakdown().plot()
            run.imbalance().plot("matrix", column="compute")
            run.kernel_breakdown().plot("kernels", name="*AllReduce*")
        """
        from .plots import report_figure

        return report_figure(self, key, column, name)

    def text(self, *, extent: str = "usual", width: int = 100, color: bool = False) -> str:
        """What the command line prints: extent "usual" shows the rows worth a look, "all" every row."""
        return self._core.text(self._place, extent, width, color)

    def __repr__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        from .html import report_html

        return report_html(self)


class Reports(_Kept, dict):
    """The reports of one question by name, and the verdict about all of them. Shown, it is their text."""

    def __init__(self, answer: Any, extent: str = "usual") -> None:
        super().__init__((name, Report(answer, place)) for place, name in enumerate(answer.names))
        self._core, self._extent = answer, extent
        self.verdict: str = answer.verdict

    def __missing__(self, name: str) -> Report:
        return _named(name, dict(self), "report")

    @property
    def findings(self) -> list[Finding]:
        """All findings that speak for their cause, the costliest first."""
        placed = [finding for report in self.values() for finding in report.findings if finding.place > 0]
        return sorted(placed, key=lambda finding: finding.place)

    def text(self, *, extent: str | None = None, width: int = 100, color: bool = False) -> str:
        """What the command line prints: extent "screen" is the first screen, "usual" more, "all" everything."""
        return self._core.text(None, extent or self._extent, width, color)

    def to_json(self) -> str:
        """The reports as docs/report-schema.json describes them."""
        return self._core.json()

    def __repr__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        if self._extent == "screen":
            from .screen import screen_html

            return screen_html(self)
        from .html import reports_html

        return reports_html(self)
