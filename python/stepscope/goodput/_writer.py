"""Writes the segments of one process; a thread creates them ahead of time and syncs them."""
import io
import itertools
import os
import select
import socket
import threading
import time

from stepscope.goodput._manifest import Manifest, make_folder, sync_folder
from stepscope.goodput._segment import Kind, Segment, Tag, number_field, split_step


def _writer_name(rank, salt):
    """Identifies this process, and the boot of its monotonic clock."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            boot = file.read(8)
    except OSError:
        boot = ""
    rank = "-" if rank is None else rank
    return "{}/{}/{}/{}/{:08x}".format(socket.gethostname(), rank, boot, os.getpid(), salt)


def _random():
    return int.from_bytes(os.urandom(4), "little")


class Writer:
    """The segments of one process, and the thread that creates them, syncs them and writes heartbeats."""

    def __init__(self, options, on_problem):
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._options = options
        self._on_problem = on_problem
        salt = _random()
        self._writer = _writer_name(options["rank"], salt)
        start = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        self._prefix = os.path.join(options["directory"],
                                    "{}-{}-{:08x}-".format(start, os.getpid(), salt))
        self._manifest = Manifest(self._prefix[:-1] + ".manifest", options["group_readable"])
        self._sequence = itertools.count()
        self._drops = io.BytesIO()  # its position counts them
        self._recorded_drops = 0
        self._made = self._made_synced = 0
        self._current = self._last = None
        self._unsynced = []
        self._stop = False
        self._last_beat = time.monotonic()
        self._make_ahead()
        self._thread = threading.Thread(target=self._run, name="goodput", daemon=True)
        self._thread.start()

    def write(self, kind, step, wall, monotonic, more):
        segment = self._current
        while segment is not None:
            written = segment.write(kind, step, wall, monotonic, self._sequence, more)
            if written == 1:
                return True
            self._wake()
            if written == 2:
                return True
            segment = segment.next
            if segment is not None:
                self._current = segment
        self.drop()
        return False

    def drop(self):
        self._drops.seek(1, 1)

    def dropped(self):
        return self._drops.tell()

    def _wake(self):
        try:
            os.write(self._wake_write, b".")
        except OSError:
            pass  # the pipe is full: a wake-up is pending

    def _run(self):
        while not self._stop:
            try:
                ready, _, _ = select.select([self._wake_read], [], [], self._options["sync_s"])
                if ready:
                    os.read(self._wake_read, 4096)
                if not self._stop:
                    self._tick()
            except Exception as error:  # training must go on
                self._on_problem("goodput: {}".format(error))
                time.sleep(1)

    def _tick(self):
        self._make_ahead()
        self._record_drops()
        beat, now = self._options["heartbeat_s"], time.monotonic()
        if beat and now - self._last_beat >= beat:
            self._last_beat = now
            self.write(Kind.HEARTBEAT, split_step(None)[0], time.time_ns(), time.monotonic_ns(), b"")
        self.sync()

    def _make_ahead(self):
        """Creates the next segment once half of the last one is used."""
        if self._last is not None and not self._last.half_used():
            return
        try:
            make_folder(self._options["directory"], self._options["group_readable"])
            made = Segment("{}{:06d}.goodput".format(self._prefix, self._made),
                           self._options["segment_bytes"], _random(), self._made,
                           self._options["job"], self._options["attempt"], self._writer,
                           self._options["group_readable"])
        except OSError as error:
            self._on_problem("goodput: cannot create a segment: {}".format(error))
            return
        self._made += 1
        self._unsynced.append(made)
        if self._last is None:
            self._current = made
        else:
            self._last.next = made
        self._last = made

    def _record_drops(self):
        count = self._drops.tell() - self._recorded_drops
        if count == 0:
            return
        more = number_field(Tag.COUNTS, count)
        if self.write(Kind.DROPPED, split_step(None)[0], time.time_ns(), time.monotonic_ns(), more):
            self._recorded_drops += count
        else:
            self._drops.seek(-1, 1)  # the failed event counted itself too

    def sync(self):
        """Syncs events recorded before the call to disk."""
        news = []
        for segment in list(self._unsynced):
            # A thread that found room may still be storing into one that was followed only now.
            done = segment.used() == segment.capacity and segment.next is not None and segment is not self._current
            segment.sync()
            if done and segment in self._unsynced:
                segment.finish(segment.capacity)
                self._unsynced.remove(segment)
            news += segment.news()
        made = self._made
        if made != self._made_synced:
            sync_folder(self._options["directory"])
            self._made_synced = made
        self._manifest.tell(news)

    def close(self):
        self._stop = True
        self._wake()
        self._thread.join(5)
        if self._drops.tell() > self._recorded_drops:
            self._make_ahead()
            self._record_drops()
        self._current = None
        news = []
        for segment in self._unsynced:
            segment.close()
            news += segment.news()
        if os.path.isdir(self._options["directory"]):  # else nobody wants it any more
            sync_folder(self._options["directory"])
            self._manifest.tell(news)

    def __del__(self):
        # Not in close(): a thread still in a call might write into a reused descriptor.
        os.close(self._wake_read)
        os.close(self._wake_write)
