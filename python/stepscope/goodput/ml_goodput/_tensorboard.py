"""Writes scalars for TensorBoard: by tensorboardX if it is installed, or else into event files of its own.

An event file is a row of TFRecords of tensorflow.Event messages:
a record is its length, a checksum of that, the message, and a checksum of it.
"""
import os
import socket
import struct
import threading
import time
from typing import Any, List

_POLYNOMIAL = 0x82F63B78  # CRC-32C, reflected


def _table() -> List[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


_CRC = _table()


def masked_crc32c(data: bytes) -> int:
    """Returns the checksum that TFRecords have."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _CRC[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _record(message: bytes) -> bytes:
    length = struct.pack("<Q", len(message))
    return (length + struct.pack("<I", masked_crc32c(length)) + message +
            struct.pack("<I", masked_crc32c(message)))


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _event(rest: bytes) -> bytes:
    return _record(b"\x09" + struct.pack("<d", time.time()) + rest)  # field 1: the time on the wall


def _scalar(tag: str, value: float, step: int) -> bytes:
    named = _bytes(1, tag.encode()) + b"\x15" + struct.pack("<f", value)  # fields 1 and 2 of Summary.Value
    return _event(b"\x10" + _varint(step) + _bytes(5, _bytes(1, named)))  # fields 2 and 5 of Event


class EventFile:
    """A file of scalars. It is made when the first one comes."""

    def __init__(self, folder: str):
        """Raises ValueError for addresses of cloud storage, which tensorboardX can write to."""
        if "://" in folder:
            raise ValueError("cannot write to {}: install tensorboardX".format(folder))
        self._folder = folder
        self._file: Any = None
        self._lock = threading.Lock()

    def add_scalar(self, tag: str, value: float, step: int, **_: Any) -> None:
        """Adds a value; TensorBoard shows it at `step`."""
        with self._lock:
            self._open().write(_scalar(tag, value, step))

    def _open(self) -> Any:
        if self._file is None:
            os.makedirs(self._folder, exist_ok=True)
            name = "events.out.tfevents.{}.{}.{}.{}".format(int(time.time()), socket.gethostname(), os.getpid(),
                                                            id(self))
            self._file = open(os.path.join(self._folder, name), "ab")
            self._file.write(_event(_bytes(3, b"brain.Event:2")))
        return self._file

    def flush(self) -> None:
        """Hands what was added to the system."""
        with self._lock:
            if self._file is not None:
                self._file.flush()

    def close(self) -> None:
        """Closes the file; adding opens another one."""
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = None


class Nowhere:
    """Takes scalars and writes none."""

    def add_scalar(self, *_: Any, **__: Any) -> None:
        """Does nothing."""

    flush = close = add_scalar


def summary_writer(folder: str) -> Any:
    """Returns an object with add_scalar(tag, value, step), flush() and close()."""
    try:
        from tensorboardX import writer
    except ImportError:
        return EventFile(folder)
    return writer.SummaryWriter(folder)
