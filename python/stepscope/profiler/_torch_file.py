"""Writes a trace of PyTorch again with who recorded it, compressed."""
import gzip
import json
import os
import re
from typing import Any, Dict

from stepscope.profiler._places import open_private

_BLOCK = 1 << 20
_MOST_HEAD = 64 << 20  # before the events: devices, process groups
_LEVEL = 1  # three times as fast as zlib's default, for files a fifth larger


def rewrite(source: str, target: str, members: Dict[str, Any], compress: bool) -> None:
    """Copies the trace `source` to `target`, with those of `members` that it lacks. Raises ValueError where it is cut,
    as on a full disk, of which PyTorch says nothing."""
    check_whole(source)
    with open(source, "rb") as trace, open_private(target) as out:
        head = _head_of(trace)
        with gzip.GzipFile("", "wb", _LEVEL, out) if compress else out as packed:
            opening = head.index(b"{") + 1
            packed.write(head[:opening] + _missing(head, members))
            packed.write(head[opening:])
            while True:
                block = trace.read(_BLOCK)
                if not block:
                    break
                packed.write(block)
            packed.flush()


def check_whole(path: str) -> None:
    """Raises ValueError unless the file is there and ends as PyTorch ends a trace."""
    if not os.path.exists(path):  # Kineto could not write it, and says so in the log only
        raise ValueError("PyTorch wrote no trace: is the disk full?")
    with open(path, "rb") as trace:
        size = trace.seek(0, os.SEEK_END)
        trace.seek(max(0, size - (64 << 10)))
        tail = trace.read().rstrip()
    if not tail.endswith(b"}") or b'"traceName"' not in tail:
        raise ValueError("PyTorch wrote only a part of a trace ({} bytes): is the disk full?".format(size))


def _head_of(trace: Any) -> bytes:
    """All before the events, and perhaps some of them."""
    head = b""
    while b'"traceEvents"' not in head and len(head) < _MOST_HEAD:
        block = trace.read(_BLOCK)
        if not block:
            break
        head += block
    return head


def _missing(head: bytes, members: Dict[str, Any]) -> bytes:
    head = head.partition(b'"traceEvents"')[0]
    # One member a line and a space after colons, as PyTorch writes them: HTA finds the rank so.
    lines = [json.dumps(name) + ": " + json.dumps(value) for name, value in members.items()
             if not re.search(rb'"' + re.escape(name.encode()) + rb'"\s*:', head)]
    return "".join("\n    " + line + "," for line in lines).encode()
