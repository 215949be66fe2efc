"""Reads objects with read(): open files, buffers, sockets."""
from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading
import zipfile
from typing import Any, Callable

from ..errors import QuestionError
from .answers import Told

_CHUNK = 1 << 20
# They seek by reading all that is before: their ranges are read in order.
_IN_ORDER = (gzip.GzipFile, bz2.BZ2File, lzma.LZMAFile, zipfile.ZipExtFile)


def held(given: Any, taken: Callable[[str], bool]) -> str:
    """A name for the object that no other has. Raises QuestionError for what gives no bytes."""
    if isinstance(given, io.TextIOBase) or hasattr(given, "encoding"):
        raise QuestionError("cannot read bytes from an object in text mode", "`paths`", "open it with mode 'rb'")
    if getattr(given, "closed", False) is True:
        raise QuestionError("cannot read a closed file", "`paths`", "keep it open, or give its path")
    own = getattr(given, "name", None)
    name = os.fsdecode(own) if isinstance(own, (str, bytes, os.PathLike)) and own else "object 1"
    stem, dot, ending = name.partition(".") if name != "object 1" else ("object", "", "")
    number = 1
    while taken(name):
        number += 1
        name = f"{stem} {number}" if stem == "object" else f"{stem} ({number}){dot}{ending}"
    return name


class Object:
    """An object with read(), whole from its beginning. One that cannot seek is kept in memory as it comes."""

    advice = "its read() raised {error}: mend that, or give the path of the file"

    def __init__(self, name: str, given: Any) -> None:
        self._lock = threading.Lock()
        self._any_order = not isinstance(given, _IN_ORDER)
        self._object = given if _seeks(given) else Kept(given)
        self._bytes = self._size() if self._any_order else -1

    def find(self, name: str) -> Any:
        return os.fsencode(name), "file", self._bytes, 0, 0, self._any_order and self._bytes >= 0

    def list(self, name: str) -> Any:
        raise NotADirectoryError(name)

    def read(self, name: str, offset: int, size: int) -> bytes:
        with self._lock:
            if getattr(self._object, "closed", False) is True:
                raise Told("cannot read the file again: it was closed", "keep it open as long as the run, or give its path")
            if self._object.tell() != offset:
                self._object.seek(offset)
            return read_fully(self._object, size)

    def _size(self) -> int:
        if isinstance(self._object, Kept):
            return -1
        try:
            return self._object.seek(0, os.SEEK_END) or self._object.tell()
        except (OSError, ValueError):
            return -1


class Kept:
    """What comes once, kept in memory so that it can be read again."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._bytes = bytearray()
        self._at = 0

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int) -> None:
        self._at = offset

    def read(self, size: int) -> bytes:
        while self._stream is not None and len(self._bytes) < self._at + size:
            came = as_bytes(self._stream.read(_CHUNK))
            self._bytes += came
            if not came:
                self._stream = None
        taken = bytes(memoryview(self._bytes)[self._at:self._at + size])
        self._at += len(taken)
        return taken


def _seeks(given: Any) -> bool:
    if not hasattr(given, "seek") or not hasattr(given, "tell"):
        return False
    try:
        return bool(given.seekable()) if hasattr(given, "seekable") else True
    except (OSError, ValueError):
        return False


def read_fully(file: Any, size: int) -> bytes:
    """`size` bytes, or those up to the end: one read() may give fewer."""
    parts: list[bytes] = []
    left = size
    while left > 0:
        part = as_bytes(file.read(left))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def as_bytes(given: Any) -> bytes:
    if isinstance(given, (bytes, bytearray, memoryview)):
        return bytes(given)
    if given is None:
        raise Told("the object has no bytes yet", "give one whose read() waits for them")
    raise Told(f"read() gave {type(given).__name__!r}, not bytes", "open it with mode 'rb'")
