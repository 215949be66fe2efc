"""Encodes and writes segments (docs/formats/goodput-segments.md).

Slots and sequence numbers are reserved by single calls into C, which no thread and no signal handler
can interrupt. A lock would not work: a SIGTERM handler that records may interrupt the thread that
holds it.
"""
import io
import mmap
import os
import struct
import time
import zlib

from stepscope.goodput._manifest import Mark, closing_mark, create, encode_entry, encode_mark, mark_at, sync_data

UNKNOWN = -(1 << 63)
MAX_TEXT = 2048

_SLOT = 32
_HEADER = 4096
_SLOTS_BEGIN = 2 * _HEADER
_MAX_NAME = 1000
_NO_STEP = (1 << 40) - 1
_MORE_KIND = 255
_PAYLOAD = 21

_pack_body = struct.Struct("<BB10sqq").pack  # kind, further slots, sequence and step, clocks
_pack_more = struct.Struct("<BB5s21s").pack
_store_slot = struct.Struct("<I28s").pack_into
_pack_number = struct.Struct("<Bq").pack
_crc32 = zlib.crc32


class Kind:
    """Kinds of events. The numbers are stored."""
    JOB_START, JOB_END, STEP_START, STEP_END, HEARTBEAT, RESUME_FROM, PREEMPTION_NOTICE = range(1, 8)
    CHECKPOINT_COMMIT = 8
    ACCELERATOR_INIT_BEGIN, ACCELERATOR_INIT_END = 9, 10
    TRAINING_PREP_BEGIN, TRAINING_PREP_END = 11, 12
    DATA_LOADING_BEGIN, DATA_LOADING_END = 13, 14
    CUSTOM_BEGIN, CUSTOM_END = 15, 16
    ELASTIC_WAIT_BEGIN, ELASTIC_WAIT_END, ELASTIC_REINIT_BEGIN, ELASTIC_REINIT_END = range(17, 21)
    ELASTIC_SLICES = 21
    CHECKPOINT_SAVE, CHECKPOINT_RESTORE, CHECKPOINT_EMERGENCY_RESTORE = 22, 23, 24
    JOB_SUBMITTED, RESOURCES, SPARE_SWAP, WORK, DROPPED = range(25, 30)
    PROCESS_END = 30
    CHECKPOINT_SAVE_BEGIN, CHECKPOINT_SAVE_END = 32, 33
    CHECKPOINT_RESTORE_BEGIN, CHECKPOINT_RESTORE_END = 34, 35
    LABEL = 36


class Tag:
    """Tags of fields in further slots."""
    STEP = 1
    COUNTS = 2
    CHECKPOINT = 8
    TEXT = 128
    CUT_TEXT = 129


def number_field(tag, value):
    return _pack_number(tag, value)


def text_field(text):
    data = text.encode("utf-8", "replace")
    tag = Tag.TEXT
    if len(data) > MAX_TEXT:
        data, tag = _cut(data, MAX_TEXT), Tag.CUT_TEXT
    return struct.pack("<BH", tag, len(data)) + data


def _cut(data, most):
    return data[:most].decode("utf-8", "ignore").encode() if len(data) > most else data


def header(salt, index, slots, job, attempt, writer):
    """Returns both copies of the header."""
    names = [_cut(name.encode("utf-8", "replace"), _MAX_NAME) for name in (job, attempt, writer)]
    body = struct.pack("<IQqqI3H", salt, slots, time.time_ns(), time.monotonic_ns(), index,
                       *map(len, names)) + b"".join(names)
    body = struct.pack("<I", len(body) + 4) + body
    copy = b"STEPGOOD" + struct.pack("<II", 1, _crc32(body)) + body
    return copy.ljust(_HEADER, b"\0") * 2


def _take_blocks(descriptor, size):
    """Allocates the whole file, so that later stores cannot run out of disk."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
        return
    for at in range(0, size, 1 << 20):
        os.pwrite(descriptor, bytes(min(1 << 20, size - at)), at)


class Segment:
    """A preallocated, mapped file. Events survive the process once `write` has returned."""

    def __init__(self, path, size, salt, index, job, attempt, writer, group_readable=False):
        self.path = path
        self.capacity = (size - _SLOTS_BEGIN) // _SLOT
        self.salt = salt
        self.next = None  # the segment after this one, once there is one
        self._half = self.capacity // 2
        self._job = job
        self._synced = 0
        self._durable = 0  # leading slots that are stored and on disk
        self._marked = 0   # of these, those that the mark says
        self._copy = 0     # of the header, for the next mark
        self._closing = None
        self._removed = False
        self._told = None
        self._given = io.BytesIO()  # its position counts reserved slots
        self._take = self._given.seek
        self._descriptor = -1  # where creating fails
        self._descriptor = create(path, os.O_RDWR, group_readable)
        try:
            _take_blocks(self._descriptor, size)
            os.pwrite(self._descriptor,
                      header(salt, index, self.capacity, job, attempt, writer), 0)
            self._map = mmap.mmap(self._descriptor, size)
        except BaseException:
            os.close(self._descriptor)
            self._descriptor = -1
            os.unlink(path)
            raise

    def write(self, kind, step, wall, monotonic, sequence, more=b""):
        """Returns 0: no room; 1: written; 2: written, and the first half is now full. `sequence` gives
        the number of the event."""
        slots = 1 + (len(more) + 20) // _PAYLOAD
        end = self._take(slots, 1)
        if end > self.capacity:
            return 0
        first = end - slots
        number = next(sequence)
        if more:
            self._write_more(first, number, more)
        body = _pack_body(kind, slots - 1, (number | step << 40).to_bytes(10, "little"), monotonic,
                          wall)
        _store_slot(self._map, _SLOTS_BEGIN + first * _SLOT,
                    _crc32(body, self.salt + first & 0xFFFFFFFF), body)
        return 2 if first < self._half <= end else 1

    def _write_more(self, first, number, more):
        sequence = number.to_bytes(5, "little")
        for at in range(0, len(more), _PAYLOAD):
            which = at // _PAYLOAD + 1
            body = _pack_more(_MORE_KIND, which, sequence, more[at:at + _PAYLOAD])
            _store_slot(self._map, _SLOTS_BEGIN + (first + which) * _SLOT,
                        _crc32(body, self.salt + first + which & 0xFFFFFFFF), body)

    def used(self):
        return min(self._given.tell(), self.capacity)

    def half_used(self):
        return self.used() >= self._half

    def _whole(self, used):
        """Leading slots before one that is still being stored. Stored slots have no 32 zeros in a row."""
        hole = self._map.find(bytes(_SLOT), _SLOTS_BEGIN + self._durable * _SLOT, _SLOTS_BEGIN + used * _SLOT)
        return used if hole < 0 else -((_SLOTS_BEGIN - hole) // _SLOT)

    def _mark(self, mark):
        at, self._copy = mark_at(self._copy), 1 - self._copy
        data = encode_mark(mark, self.salt)
        self._map[at:at + len(data)] = data

    def sync(self):
        """Syncs earlier events, and marks those of the sync before."""
        if self._closing is not None or self._removed:
            return
        if self._marked < self._durable:
            self._mark(Mark(slots=self._durable))
            self._marked = self._durable
        used = self.used()
        whole = self._whole(used)
        if used != self._synced or whole > self._durable:
            # Not mmap.flush(), which blocks the whole interpreter during the sync.
            sync_data(self._descriptor)
            self._synced, self._durable = used, max(self._durable, whole)

    def finish(self, used):
        """Writes the closing record, which says what the sync before it has put on disk."""
        if self._closing is not None or self._removed:
            return
        sync_data(self._descriptor)
        used = self._whole(used)
        if used == 0:
            return
        closing = closing_mark(self._map[_SLOTS_BEGIN:_SLOTS_BEGIN + used * _SLOT])
        self._mark(closing)
        self._mark(closing)
        sync_data(self._descriptor)
        self._closing = closing

    def close(self):
        """Stops storing, writes the closing record and cuts the file after its last event."""
        used = min(self._take(self.capacity, 1) - self.capacity, self.capacity)
        if self._closing is not None or self._removed:
            return
        if used <= 0:
            os.unlink(self.path)
            self._removed = True
            return
        # Without a record, as when a thread is still storing, a cut file would look damaged.
        if used == self.capacity or self._whole(used) == used:
            self.finish(used)
        if self._closing is not None and used < self.capacity:
            os.ftruncate(self._descriptor, _SLOTS_BEGIN + used * _SLOT)

    def news(self):
        """What a manifest has not been told of the segment, as entries."""
        mark = self._closing or (Mark(slots=self._durable) if self._durable else None)
        if mark is None or self._told == mark.closed:
            return []
        self._told = mark.closed
        return [encode_entry(mark, self.salt, os.path.basename(self.path), self._job)]

    def __del__(self):
        if self._descriptor >= 0:
            os.close(self._descriptor)


def split_step(step):
    """Returns (bytes for the first slot, field for a further slot)."""
    if step is None:
        return _NO_STEP, b""
    step = int(step)
    return (step, b"") if 0 <= step < _NO_STEP else (_NO_STEP, number_field(Tag.STEP, step))
