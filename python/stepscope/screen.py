"""The first screen as HTML: whose job, the verdict, what mending each cause is worth, where a step goes, which ranks differ.

What is said and chosen is the core's; this gives it a form.
"""
from __future__ import annotations

from typing import Any, Sequence

from . import _core
from .html import block, escaped, folded

_BAR = 200  # pixels of the longest
_CELL = '<td style="text-align:{};padding:2px 8px;white-space:{}">{}</td>'
_HEAD = '<th style="text-align:{};padding:2px 8px"{}>{}</th>'


def screen_html(reports: Any) -> str:
    """The screen, and below it a closed line for all reports."""
    told = _core.summary_of(reports._core)
    closed = folded(reports)
    return block([f"<p>{escaped(told['subject'])}</p><p><b>{escaped(told['verdict'])}</b></p>",
                  _causes(told["causes"]), _step(told["step"]), _ranks(told["ranks"]),
                  f"<p><small>{escaped(' '.join(told['unseen']))}</small></p>" if told["unseen"] else "",
                  f"<details><summary>{len(closed)} reports</summary>{''.join(closed)}</details>" if closed else ""])


def _causes(causes: Sequence[dict[str, str]]) -> str:
    return f"<ol>{''.join(map(_cause, causes))}</ol>" if causes else ""


def _cause(cause: dict[str, str]) -> str:
    below = [cause["because"], cause["try"] and f"try: {cause['try']}"]
    return (f"<li>{escaped(cause['head'])} <b>{escaped(cause['worth'])}</b>"
            + "".join(f"<br><small>{escaped(text)}</small>" for text in below if text) + "</li>")


def _step(step: dict[str, Any] | None) -> str:
    """A row with a bar for each part of a step; before a change and since where there was one."""
    if step is None:
        return ""
    heads = _HEAD.format("left", "", escaped(step["title"])) + "".join(
        _HEAD.format("left", ' colspan="2"', escaped(column)) for column in step["columns"])
    longest = max(time for _, times in step["parts"] for time, _ in times)
    rows = "".join(_row(title, times, longest) for title, times in step["parts"])
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _row(title: str, times: Sequence[tuple[int, str]], longest: int) -> str:
    cells = [_CELL.format("left", "normal", escaped(title))]
    for time, shown in times:
        width = max(1, round(_BAR * time / longest)) if time > 0 else 0
        bar = f'<div style="background:#4c78a8;height:12px;width:{width}px"></div>'
        cells += [_CELL.format("right", "nowrap", escaped(shown)), _CELL.format("left", "normal", bar)]
    return f"<tr>{''.join(cells)}</tr>"


def _ranks(table: Sequence[Sequence[str]]) -> str:
    """The ranks that differ, in time per step."""
    if not table:
        return ""
    head, *rows = table
    heads = "".join(_HEAD.format("right", "", escaped(cell)) for cell in head)
    body = "".join(f"<tr>{''.join(_CELL.format('right', 'nowrap', escaped(cell)) for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
