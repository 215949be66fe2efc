#!/usr/bin/env python3
"""What recording an event costs the thread that trains in Python, beside the same bytes stored and written.

    recorder_bench.py FOLDER

One line of JSON, in ns by event, as recorder_bench.cc prints it. The rounds take turns; the loop around
the calls is in the numbers.
"""
import json
import mmap
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from stepscope.goodput import Recorder  # noqa: E402

BATCH, BATCHES, ROUNDS, SPACED = 100, 200, 5, 1000
CALLS = BATCH * BATCHES * ROUNDS


def batches(call, kept):
    """Adds to `kept` what a call took in each of a round's batches."""
    clock = time.perf_counter_ns
    for _ in range(BATCHES):
        begin = clock()
        for step in range(BATCH):
            call(step)
        kept.append((clock() - begin) / BATCH)


def spaced(call):
    """Single calls a millisecond apart with 4 MB touched in between, less what the clock takes."""
    clock, other, costs = time.perf_counter_ns, bytearray(4 << 20), []
    for step in range(SPACED):
        time.sleep(0.001)
        other[::64] = bytes(len(other) // 64)
        begin = clock()
        call(step)
        costs.append(clock() - begin)
    idle = []
    for _ in range(SPACED):
        begin = clock()
        idle.append(clock() - begin)
    return statistics.median(costs) - statistics.median(idle)


def main(folder):
    recorder = Recorder("bench", directory=folder, segment_bytes=64 << 20)
    written = os.open(os.path.join(folder, "written"), os.O_RDWR | os.O_CREAT)
    mapped = os.open(os.path.join(folder, "mapped"), os.O_RDWR | os.O_CREAT)
    os.posix_fallocate(mapped, 0, 32 * CALLS)
    mapping, position, record = mmap.mmap(mapped, 32 * CALLS), 0, bytes(range(32))

    def store(_):
        nonlocal position
        mapping[position:position + 32] = record
        position += 32

    costs = {"event_ns": [], "mapping_ns": [], "write_ns": []}
    for _ in range(ROUNDS):
        batches(recorder.record_step_start_time, costs["event_ns"])
        batches(store, costs["mapping_ns"])
        batches(lambda _: os.write(written, record), costs["write_ns"])
    result = {key: round(statistics.median(of), 1) for key, of in costs.items()}
    result["spaced_ns"] = spaced(recorder.record_step_start_time)
    result["dropped"] = recorder.dropped()
    recorder.close()
    print(json.dumps(result))
    return 1 if result["dropped"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
