"""The first screen as HTML: whose job, the verdict, what mending each cause is worth, where a step goes, which ranks differ.

What is said and chosen is the core's: sentences come from its text of the same screen, numbers from the reports.
"""
from __future__ import annotations

import re
from typing import Any, NamedTuple, Sequence

from .html import block, escaped, folded

_BAR = 200  # pixels of the longest
_LEAST = 0.001  # of a step, that a part has a row
_CELL = '<td style="text-align:{};padding:2px 8px;white-space:{}">{}</td>'
_BEFORE_NOW = (("before", "since"), ("time_a", "time_b"), ("time",))  # columns of times, the first that there are


class Said(NamedTuple):
    """The paragraphs of the core's text of the screen; "" or empty where it has none."""

    subject: str
    causes: list[str]
    step: list[str]
    ranks: list[str]
    unseen: str


def said(text: str) -> Said:
    """Tells the paragraphs apart by how they begin."""
    first, *rest = [part.splitlines() for part in text.rstrip("\n").split("\n\n")]
    found: dict[str, list[str]] = {"causes": [], "step": [], "ranks": [], "unseen": []}
    for lines in rest:
        begins = lines[0]
        of = ("causes" if re.match(r"\d  \S", begins) else
              "step" if begins.startswith(("A step", "The recording")) else
              "ranks" if begins.startswith(("Per step", "Change per step")) else "unseen")
        found[of] += lines
    return Said(first[0], found["causes"], found["step"], found["ranks"], " ".join(found["unseen"]))


def screen_html(reports: Any) -> str:
    """The screen, and below it a closed line for all reports."""
    told = said(reports.text(extent="screen"))
    closed = folded(reports)
    return block([f"<p>{escaped(told.subject)}</p><p><b>{escaped(reports.verdict)}</b></p>",
                  _causes(told.causes, reports.findings), _step(reports, told.step), _ranks(told.ranks),
                  f"<p><small>{escaped(told.unseen)}</small></p>" if told.unseen else "",
                  f"<details><summary>{len(closed)} reports</summary>{''.join(closed)}</details>" if closed else ""])


def _causes(lines: Sequence[str], findings: Sequence[Any]) -> str:
    left, items = list(findings), []
    for line in lines:
        numbered = re.fullmatch(r"\d  (.*?\S)(?:\s{2,}(\S.*))?", line)
        finding = numbered and next((one for one in left if _begins(one.message, numbered[1])
                                     or _begins(one.because, numbered[1])), None)
        if finding:
            left.remove(finding)
            items.append(_cause(finding, numbered[1], numbered[2] or ""))
    return f"<ol>{''.join(items)}</ol>" if items else ""


def _begins(text: str, head: str) -> bool:
    """Whether a line of the screen, which may be cut, is the beginning of a text."""
    return escaped(text).lower().startswith(escaped(head.partition("…")[0].rstrip())[:40].lower())


def _cause(finding: Any, head: str, worth: str) -> str:
    """As the screen has it: without the message where the verdict has said it."""
    told = [finding.message, finding.because] if _begins(finding.message, head) else [finding.because]
    told = [text for text in told if text] + ([f"try: {finding.hint}"] if finding.hint else [])
    first = told[0][:1].upper() + told[0][1:]
    return (f"<li>{escaped(first)} <b>{escaped(worth)}</b>"
            + "".join(f"<br><small>{escaped(text)}</small>" for text in told[1:]) + "</li>")


def _step(reports: Any, lines: Sequence[str]) -> str:
    """A row with bars for each part of a step, the longest first; before a change and since where there was one."""
    table = reports["breakdown"].tables.get("parts") if lines and "breakdown" in reports else None
    if table is None:
        return ""
    head, *totals = re.split(r"\s{2,}", lines[0].strip())
    keys = [column.key for column in table.columns]
    columns = next((some for some in _BEFORE_NOW if len(some) == len(totals) and set(some) <= set(keys)), None)
    if columns is None:
        return ""
    places = [keys.index(key) for key in columns]
    times = [[time or 0 for time in row] for row in zip(*(table[key] for key in columns))]
    shown = table._core.shown_rows(len(table))
    longest = max((max(row) for row in times), default=0)
    least = _LEAST * max((sum(column) for column in zip(*times)), default=0)
    rows = sorted((row for row in range(len(table)) if max(times[row]) > least), key=lambda row: -max(times[row]))
    body = [_row(shown[row][0], [(shown[row][place], time / longest) for place, time in zip(places, times[row])])
            for row in rows]
    heads = f'<th style="text-align:left">{escaped(head)}</th>' + "".join(
        f'<th style="text-align:left" colspan="2">{escaped(total)}</th>' for total in totals)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _row(name: str, bars: Sequence[tuple[str, float]]) -> str:
    cells = [_CELL.format("left", "normal", escaped(name))]
    for shown, share in bars:
        bar = f'<div style="background:#4c78a8;height:12px;width:{max(1, round(_BAR * share)) if share else 0}px"></div>'
        cells += [_CELL.format("right", "nowrap", escaped(shown)), _CELL.format("left", "normal", bar)]
    return f"<tr>{''.join(cells)}</tr>"


def _ranks(lines: Sequence[str]) -> str:
    """The core's table of ranks that differ."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines]
    if not rows:
        return ""
    if len({len(row) for row in rows}) > 1:
        return f"<pre>{escaped(chr(10).join(lines))}</pre>"
    head = "".join(f'<th style="text-align:right;padding:2px 8px">{escaped(cell)}</th>' for cell in rows[0])
    body = "".join(f"<tr>{''.join(_CELL.format('right', 'nowrap', escaped(cell)) for cell in row)}</tr>" for row in rows[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
