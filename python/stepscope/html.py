"""Shows reports in a notebook: sentences, findings, the first table, and a picture of it.

All text is escaped: names in traces come from strangers. Colors are those of the notebook, light or dark; nothing is
loaded from anywhere.
"""
from __future__ import annotations

import html
from typing import Any, Sequence

from . import _core
from .figures.look import shortened
from .figures.rows import MEASURED, telling

_ROWS, _BARS, _FINDINGS = 10, 8, 5
_CELL = 'style="text-align:{};padding:2px 8px"'


def escaped(text: str) -> str:
    """Text for HTML: control characters become visible, and nothing of it is markup."""
    return html.escape(_core.printable(text))


def report_html(report: Any) -> str:
    """A report: title, headline or why there is none, findings, its first table with bars."""
    parts = [f"<h4>{escaped(report.title)}</h4>", _sentence(report.headline or report.why)]
    parts.append(_findings(report.findings))
    first = next((table for table in report.tables.values() if len(table)), None)
    if first is not None:
        parts += [bars_svg(first), table_html(first)]
    return block(parts)


def reports_html(reports: Any) -> str:
    """The verdict, what costs most, and a report for each name, folded."""
    return block([_sentence(reports.verdict), _findings(reports.findings), *folded(reports)])


def folded(reports: Any) -> list[str]:
    """A closed line for each report that has an answer."""
    return [f"<details><summary><b>{escaped(one.title)}</b> {escaped(one.headline)}</summary>{report_html(one)}</details>"
            for one in reports.values() if one.status != "unavailable"]


def run_html(run: Any) -> str:
    """What a run is, and what to type next; nothing is analyzed for it."""
    if run.closed:
        return block([f"<p>{escaped(repr(run))}</p>"])
    problems = sum(1 for file in run.files if file["problem"])
    rows = [("run.summary()", "the first screen: verdict, causes, where a step goes"),
            ("run.comm_overlap().df()", "any analysis as a data frame; stepscope.analyses() lists them"),
            ("run.events(rank).df()", f"every event; ranks: {_some(run.ranks)}"),
            ("run.steps().df()", "the steps"),
            ("run.files", f"{len(run.files):,} read" + (f", {problems:,} with a problem" if problems else "")),
            ("run.show()", "the page")]
    body = "".join(f"<tr><td {_CELL.format('left')}><code>{escaped(call)}</code></td>"
                   f"<td {_CELL.format('left')}>{escaped(what)}</td></tr>" for call, what in rows)
    return block([f"<p>{escaped(repr(run))}</p><table><tbody>{body}</tbody></table>"])


def _some(ranks: list[int]) -> str:
    whole = len(ranks) > 1 and ranks[-1] - ranks[0] == len(ranks) - 1
    if whole:
        return f"{ranks[0]}..{ranks[-1]}"
    return ", ".join(map(str, ranks[:8])) + (", ..." if len(ranks) > 8 else "")


def table_html(table: Any) -> str:
    """The first rows as people read them, without the columns that are details."""
    places = [i for i, column in enumerate(table.columns) if not column.detail]
    head = "".join(f"<th {_CELL.format(_side(table.columns[i]))}>{escaped(table.columns[i].title)}</th>" for i in places)
    body = "".join("<tr>" + "".join(_cell(row[i], table.columns[i]) for i in places) + "</tr>"
                   for row in table._core.shown_rows(_ROWS))
    left = len(table) - _ROWS
    more = f"<p>{left:,} more rows: .df({escaped(repr(table.key))})</p>" if left > 0 else ""
    return (f"<table><caption>{escaped(table.title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{more}")


def bars_svg(table: Any) -> str:
    """Bars of the first column that was measured, of the first rows; "" where there is none."""
    chosen = _measured(table)
    if chosen is None:
        return ""
    place, values = chosen
    shown = table._core.shown_rows(len(values))
    most = max(values) or 1
    keys = telling(table, table.to_dict())
    rows = [_bar(n, _label(table.columns, keys, shown[n]), shown[n][place], value / most) for n, value in enumerate(values)]
    title = escaped(f"{table.title}: {table.columns[place].title}")
    return (f'<svg role="img" aria-label="{title}" viewBox="0 0 640 {22 * len(rows) + 24}" width="640" '
            'style="max-width:100%;font:12px sans-serif" fill="currentColor">'
            f'<text x="0" y="14">{title}</text>{"".join(rows)}</svg>')


def _measured(table: Any) -> tuple[int, list[float]] | None:
    """The place and values of the column to draw, times before sizes and counts: none below 0, some above."""
    columns = table.to_dict()
    known = [(place, column) for place, column in enumerate(table.columns)
             if column.role == "value" and not column.detail and column.unit in MEASURED]
    for place, column in sorted(known, key=lambda one: (one[1].key != table.bars, MEASURED.index(one[1].unit))):
        values = [value or 0 for value in columns[column.key][:_BARS]]
        if any(isinstance(value, str) for value in values):
            continue
        if values and min(values) >= 0 and max(values) > 0:
            return place, values
    return None


def _label(columns: list[Any], keys: Sequence[str], shown: list[str]) -> str:
    """What identifies a row: numbers with what they number, "rank 2", and names; what has no value is left out."""
    told = [(column, text) for column, text in zip(columns, shown) if column.key in keys and text != "-"]
    return ", ".join(f"{column.title} {text}" if text.lstrip("-").isdigit() else text for column, text in told)


def _bar(n: int, label: str, value: str, share: float) -> str:
    y = 22 * n + 24
    width = max(1, round(300 * share))
    return (f'<g><title>{escaped(label)}: {escaped(value)}</title>'
            f'<text x="210" y="{y + 13}" text-anchor="end">{escaped(shortened(label, 34))}</text>'
            f'<rect x="218" y="{y + 2}" width="{width}" height="14" fill="#4c78a8"/>'
            f'<text x="{224 + width}" y="{y + 13}">{escaped(value)}</text></g>')


def _findings(findings: Any) -> str:
    items = "".join(f"<li>{escaped(one.message)}<br><small>{escaped(one.because)}"
                    f"{'; try: ' if one.because and one.hint else ''}{escaped(one.hint)}</small></li>"
                    for one in findings[:_FINDINGS])
    return f"<ol>{items}</ol>" if items else ""


def _sentence(text: str) -> str:
    return f"<p>{escaped(text)}</p>" if text else ""


def _side(column: Any) -> str:
    return "right" if column.unit else "left"


def _cell(text: str, column: Any) -> str:
    side = _side(column)
    return f"<td {_CELL.format(side if side == 'left' else 'right;white-space:nowrap')}>{escaped(text)}</td>"


def block(parts: list[str]) -> str:
    """The parts as one element, in which long names wrap."""
    # Names of kernels have no spaces to break at.
    return f'<div class="stepscope" style="overflow-wrap:anywhere">{"".join(parts)}</div>'
