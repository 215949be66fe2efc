#!/usr/bin/env python3
"""Asks `stepscope mcp` with the client of the official Python SDK (`mcp` on PyPI), in both eras of the protocol.

    mcp_check.py STEPSCOPE FOLDER

FOLDER gets a demo job. Prints a line for each check; exit 1 if one fails.
"""
import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

TOOLS = ["open", "brief", "table", "show", "compare", "explain", "goodput"]

failed = 0


def check(holds, what, seen=""):
    global failed
    print(f"{'ok' if holds else 'FAILED'}: {what}" + ("" if holds else f"\n  seen: {str(seen)[:800]}"))
    failed += not holds


def text(result):
    return "".join(part.text for part in result.content if part.type == "text")


async def calls(client, era):
    tools = (await client.list_tools()).tools
    check([tool.name for tool in tools] == TOOLS, f"{era}: lists the tools", tools)
    check(all(tool.annotations.read_only_hint for tool in tools), f"{era}: all only read", tools)

    opened = await client.call_tool("open", {"path": "job"})
    check(not opened.is_error and "ranks: 0..3" in text(opened), f"{era}: open", text(opened))
    check(opened.structured_content["ranks"] == 4, f"{era}: open, as data", opened.structured_content)

    brief = await client.call_tool("brief", {"path": "job"})
    check("Rank 2 is a straggler" in text(brief) and len(text(brief)) <= 8000, f"{era}: brief", text(brief))
    small = await client.call_tool("brief", {"path": "job", "budget": 100})
    check(0 < len(text(small).encode()) <= 400, f"{era}: brief within a budget", text(small))

    finding = next(line for line in text(brief).splitlines() if line.startswith("[")).split("]")[0][1:]
    shown = await client.call_tool("show", {"path": "job", "id": finding})
    check(finding in text(shown), f"{era}: show", text(shown))

    rows = await client.call_tool(
        "table", {"path": "job", "name": "breakdown.ranks", "where": ["rank=2"], "columns": ["rank"]})
    check(text(rows).splitlines()[0] == "id,rank" and "1 of 1 matching row shown, of 4 in all" in text(rows), f"{era}: table", text(rows))

    compared = await client.call_tool("compare", {"before": "healthy", "after": "job"})
    check(not compared.is_error and "ank 2" in text(compared), f"{era}: compare", text(compared))

    explained = await client.call_tool("explain", {"name": "exposed communication"})
    check("**Definition:**" in text(explained), f"{era}: explain", text(explained))

    goodput = await client.call_tool("goodput", {"paths": ["events.jsonl"]})
    check(not goodput.is_error and "oodput" in text(goodput), f"{era}: goodput", text(goodput))

    for path in ["/etc/passwd", "../../etc/passwd", "/no/such/file", "out"]:
        escape = await client.call_tool("open", {"path": path})
        check(escape.is_error and "outside the directories" in text(escape), f"{era}: no way to {path}", text(escape))
    wrong = await client.call_tool("table", {"path": "job", "name": "breakdown.ranks", "top": "many"})
    check(wrong.is_error and "whole number" in text(wrong), f"{era}: a wrong argument", text(wrong))
    odd = await client.call_tool("brief", {"path": "job", "budgt": 100})
    check(odd.is_error and "budget" in text(odd), f"{era}: an unknown argument", text(odd))
    try:
        unknown = await client.call_tool("rm", {})
        check(False, f"{era}: an unknown tool", unknown)
    except MCPError as error:
        check(error.code == -32602, f"{era}: an unknown tool", error)

    heard = []

    async def on_progress(done, total, message):
        heard.append((done, total))

    os.utime(Path(server_root) / "job" / "rank-0.pt.trace.json.gz")  # so that it is read again
    await client.call_tool("open", {"path": "job"}, progress_callback=on_progress)
    check(heard and heard == sorted(heard) and all(d <= t for d, t in heard), f"{era}: progress", heard)


async def main(stepscope, folder):
    global server_root
    server_root = folder / "root"
    subprocess.run([stepscope, "demo", server_root / "job"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([stepscope, "demo", server_root / "healthy", "--slow-rank", "-1"], check=True,
                   stdout=subprocess.DEVNULL)
    if not (server_root / "out").is_symlink():
        (server_root / "out").symlink_to("/etc")
    (server_root / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in goodput_events()))
    server = StdioServerParameters(command=stepscope, args=["mcp", str(server_root)])
    for mode, version in [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", "2025-11-25")]:
        async with Client(server, mode=mode) as client:
            check(client.protocol_version == version, f"{mode}: speaks {version}", client.protocol_version)
            if mode != "2026-07-28":
                check(client.server_info.name == "stepscope", f"{mode}: says who it is", client.server_info)
            await calls(client, mode)
            if mode != "legacy":
                async with client.listen(tools_list_changed=True):
                    check(not (await client.call_tool("explain", {"name": "steps"})).is_error, f"{mode}: listens")
    print(f"{failed} failed")
    return 1 if failed else 0


def goodput_events():
    """A job of ten steps, as ml-goodput-measurement records one."""
    yield {"job_name": "job", "job_start_time": 1780000000.0}
    for step in range(10):
        yield {"job_name": "job", "step_count": step, "step_start_time": 1780000010.0 + step}
    yield {"job_name": "job", "job_end_time": 1780000025.0}


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1], Path(sys.argv[2]))))
