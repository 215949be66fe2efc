"""Marks segments, and lists them in a manifest (docs/formats/goodput-ledger.md).

A mark says how much of a segment is on disk; a manifest, which segments a directory must have. Neither says more than a
sync has put there before.
"""
import fcntl
import os
import struct
import threading
import zlib
from typing import List, NamedTuple

_HEADER = 4096
_MARK_AT = _HEADER - 128
_SLOT = 32
_MORE_KIND = 255
_UNKNOWN = -(1 << 63)
_pack_mark = struct.Struct("<B3xQqqqI20x").pack


class Mark(NamedTuple):
    """How much of a segment is on disk; of a closed one, what it holds."""
    closed: bool = False
    slots: int = 0
    events: int = -1
    first: int = _UNKNOWN
    last: int = _UNKNOWN
    checksum: int = 0


def encode_mark(mark, salt):
    body = _pack_mark(2 if mark.closed else 1, *mark[1:])
    return struct.pack("<I", zlib.crc32(body, salt)) + body


def mark_at(copy):
    """The place of a mark in the copy 0 or 1 of a header."""
    return copy * _HEADER + _MARK_AT


def closing_mark(slots):
    """The closing record of these bytes, which are whole slots."""
    kinds = slots[4::_SLOT]
    more = kinds.count(_MORE_KIND) + kinds.count(0)
    times = memoryview(slots).cast("q")[3::4].tolist()
    if more:
        times = [time for kind, time in zip(kinds, times) if kind not in (0, _MORE_KIND)]
    times = [time for time in times if time != _UNKNOWN]
    return Mark(True, len(kinds), len(kinds) - more, min(times, default=_UNKNOWN), max(times, default=_UNKNOWN),
                zlib.crc32(slots))


def _escaped(name):
    text = b"".join(b"%%%02x" % byte if byte <= 0x20 or byte in (0x25, 0x7f) else bytes((byte,))
                    for byte in name.encode("utf-8", "replace"))
    return text or b"%"


def encode_entry(mark, salt, name, job):
    return b"%s %08x %d %d %d %d %08x %s %s\n" % (b"closed" if mark.closed else b"open", salt, *mark[1:5],
                                                  mark.checksum, _escaped(name), _escaped(job))


def sync_data(descriptor):
    getattr(os, "fdatasync", os.fsync)(descriptor)


def sync_folder(path):
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def make_folder(path, group_readable):
    """Creates a missing directory for its owner, or the owner's group too. One that exists stays as it is."""
    if os.path.isdir(path):
        return
    os.makedirs(path, 0o700, exist_ok=True)
    if group_readable:
        os.chmod(path, 0o750)


def create(path, flags, group_readable):
    descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    if group_readable:
        os.fchmod(descriptor, 0o640)
    return descriptor


class Manifest:
    """The manifest of one process, created with its first entries."""

    def __init__(self, path, group_readable):
        self._path = path
        self._group_readable = group_readable
        self._descriptor = -1
        self._size = 0
        self._untold: List[bytes] = []
        # Never waited for: a signal handler may interrupt whoever holds it.
        self._lock = threading.Lock()

    def tell(self, entries):
        """Appends entries and syncs them; those that fail come with the next call."""
        self._untold += entries
        if not self._untold or not self._lock.acquire(blocking=False):
            return
        try:
            count = len(self._untold)
            self._append(b"".join(self._untold[:count]))
            del self._untold[:count]
        finally:
            self._lock.release()

    def _append(self, lines):
        if self._descriptor < 0:
            self._descriptor = create(self._path, os.O_WRONLY, self._group_readable)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # while the process lives
        data = lines + b"end %08x\n" % zlib.crc32(lines)
        at = self._size
        while at < self._size + len(data):
            at += os.pwrite(self._descriptor, data[at - self._size:], at)
        sync_data(self._descriptor)
        is_new = self._size == 0
        self._size += len(data)
        if is_new:
            sync_folder(os.path.dirname(self._path) or ".")

    def __del__(self):
        if self._descriptor >= 0:
            os.close(self._descriptor)
