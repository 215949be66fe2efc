"""Counts events in the segments of a ledger from their bytes alone (docs/formats/goodput-segments.md).

Nothing of the product is used, so that what was acknowledged is found, or missed, by other means.
"""
import collections
import itertools
import subprocess
import sys
import zlib
from array import array
from pathlib import Path

HEADER, SLOT, PIECE = 4096, 32, 65536
FIRST_SLOT = 2 * HEADER
WHOLE = bytes(0 if kind in (0, 255) else 1 for kind in range(256))  # slots that begin an event
CHECKED = 997  # one of so many slots has its checksum computed


class Header:
    """Salt, and the writer's name, of the first undamaged copy."""

    def __init__(self, data):
        for at in (0, HEADER):
            copy = data[at:at + HEADER]
            size = int.from_bytes(copy[16:20], "little")
            if copy[:8] == b"STEPGOOD" and size <= HEADER - 16 and zlib.crc32(copy[16:16 + size]) == int.from_bytes(copy[12:16], "little"):
                break
        else:
            raise ValueError("no header")
        self.salt = int.from_bytes(copy[20:24], "little")
        job, attempt, writer = (int.from_bytes(copy[52 + 2 * k:54 + 2 * k], "little") for k in range(3))
        self.writer = copy[58 + job + attempt:58 + job + attempt + writer].decode()


def sequences_in(slots):
    """The sequence numbers of the events in these slots."""
    count = len(slots) // SLOT
    wide = bytearray(8 * count)
    for k in range(5):
        wide[k::8] = slots[6 + k:count * SLOT:SLOT]
    numbers = array("q")
    numbers.frombytes(wide)
    return array("I", itertools.compress(numbers, slots[4:count * SLOT:SLOT].translate(WHOLE)))


def wrong_checksums(slots, first, salt):
    """How many of a sample of written slots have a wrong one; `first`: the number of the first slot."""
    wrong = 0
    for k in range(0, len(slots) // SLOT, CHECKED):
        slot = slots[k * SLOT:(k + 1) * SLOT]
        if slot[4] and zlib.crc32(slot[4:], (salt + first + k) & 0xFFFFFFFF) != int.from_bytes(slot[:4], "little"):
            wrong += 1
    return wrong


class Found:
    """Sequence numbers by writer."""

    def __init__(self):
        self.writers = collections.defaultdict(list)
        self.unreadable = self.wrong = self.segments = 0

    def add_segment(self, data):
        self.segments += 1
        try:
            header = Header(data)
        except ValueError:
            self.unreadable += 1
            return
        self.wrong += wrong_checksums(data[FIRST_SLOT:], 0, header.salt)
        self.writers[header.writer].append(sequences_in(data[FIRST_SLOT:]))


def found_in_folder(folder):
    found = Found()
    for path in Path(folder).glob("*.goodput"):
        found.add_segment(path.read_bytes())
    return found


def found_in_postgres(psql, address):
    """The same of the pieces in a database, a segment after the other."""
    sql = ("COPY (SELECT encode(p.segment, 'hex'), p.number, encode(p.bytes, 'hex') FROM stepscope.pieces p"
           " ORDER BY p.segment, p.number) TO STDOUT")
    found = Found()
    with subprocess.Popen([psql, "-XqAt", address, "-c", "SET enable_sort = off", "-c", sql], stdout=subprocess.PIPE) as ask:
        rows = (line.rstrip(b"\n").split(b"\t") for line in ask.stdout)
        for _, pieces in itertools.groupby(rows, key=lambda row: row[0]):
            data = bytearray()
            for _, number, text in pieces:
                data.extend(bytes(int(number) * PIECE - len(data)))  # zeros at the end are not stored
                data += bytes.fromhex(text.decode())
            found.add_segment(bytes(data))
    return found


def compare(found, acknowledged):
    """What the file of the writers says against what was found; counts by name."""
    counts = collections.Counter(segments=found.segments, unreadable_segments=found.unreadable,
                                 wrong_checksums=found.wrong)
    known = set()
    for line in open(acknowledged):
        _, _, writer, confirmed, sent = line.rstrip("\n").split("\t")
        known.add(writer)
        numbers = array("I")
        for part in found.writers.get(writer, ()):
            numbers += part
        once = set(numbers)
        counts["sent"] += int(sent)
        counts["acknowledged"] += int(confirmed)
        counts["found"] += len(once)
        counts["doubled"] += len(numbers) - len(once)
        counts["lost"] += int(confirmed) - sum(1 for number in once if number < int(confirmed))
        counts["never_sent"] += sum(1 for number in once if number >= int(sent))
    counts["unknown_writers"] = len(set(found.writers) - known)
    return counts


def by_job(acknowledged):
    """(events confirmed, events sent) of each job."""
    jobs = collections.defaultdict(lambda: [0, 0])
    for line in open(acknowledged):
        job, _, _, confirmed, sent = line.rstrip("\n").split("\t")
        jobs[job][0] += int(confirmed)
        jobs[job][1] += int(sent)
    return jobs


if __name__ == "__main__":
    print(dict(compare(found_in_folder(sys.argv[1]), sys.argv[2])))
