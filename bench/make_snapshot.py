#!/usr/bin/env python3
"""Writes a large memory snapshot as PyTorch would pickle it, to measure `stepscope memory` with.

    bench/make_snapshot.py OUT [--bytes 1000000000] [--frames 24] [--stacks 2000] [--segments 1]

Each event has its own list of frames (as PyTorch writes allocations with C++ stacks), with --shared
events share the lists of their stack (as it writes them with Python stacks alone). With many
--segments each has 16 blocks, with lists of their own or shared as those of events.
"""
import argparse
import pickle
import random


def event(action, addr, size, time, frames):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time,
            "compile_context": "N/A", "user_metadata": "", "frames": frames}


def stacks_of(count, depth):
    files = [f"/home/user/model/part_{i}.py" for i in range(40)]
    return [[{"name": f"function_{(i * 7 + d) % 500}", "filename": files[(i + d) % 40],
              "line": 1 + (i * 31 + d) % 900} for d in range(depth)] for i in range(count)]


def events(target, stacks, shared):
    chance = random.Random(1)
    live, made, time, taken = [], [], 1_700_000_000_000_000, 0
    each = 75 if shared else 75 + 27 * len(stacks[0])
    while taken < target:
        time += chance.randrange(1, 30)
        frames = chance.choice(stacks)
        if live and (len(live) > 5000 or chance.random() < 0.5):
            addr, size = live.pop(chance.randrange(len(live)))
            for action in ("free_requested", "free_completed"):
                made.append(event(action, addr, size, time, []))
                taken += 75
            continue
        addr, size = 0x7f0000000000 + 512 * chance.randrange(1 << 26), chance.randrange(1, 1 << 22)
        if any(addr == other for other, _ in live[-4:]):
            continue
        live.append((addr, size))
        made.append(event("alloc", addr, size, time, frames if shared else [dict(f) for f in frames]))
        taken += each
    return made, live


def segment(address, blocks, total):
    return {"device": 0, "address": address, "total_size": total,
            "allocated_size": sum(b["size"] for b in blocks if b["state"] != "inactive"),
            "active_size": 0, "requested_size": sum(b["requested_size"] for b in blocks),
            "stream": 0, "segment_type": "large" if total > 1 << 21 else "small",
            "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks}


def small_segments(count, stacks, shared):
    chance = random.Random(2)
    for i in range(count):
        address, blocks = 0x600000000000 + (i << 21), []
        for at in range(16):
            frames = chance.choice(stacks)
            blocks.append({"address": address + (at << 17), "size": 1 << 17,
                           "requested_size": chance.randrange(1, 1 << 17),
                           "state": chance.choice(["active_allocated", "inactive"]),
                           "frames": frames if shared else [dict(f) for f in frames]})
        yield segment(address, blocks, 1 << 21)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("--stacks", type=int, default=2000)
    parser.add_argument("--segments", type=int, default=1)
    parser.add_argument("--shared", action="store_true")
    args = parser.parse_args()
    stacks = stacks_of(args.stacks, args.frames)
    made, live = events(args.bytes, stacks, args.shared)
    blocks = [{"address": a, "size": (s + 511) // 512 * 512, "requested_size": s,
               "state": "active_allocated", "frames": []} for a, s in live]
    segments = [segment(0x7f0000000000, blocks, 1 << 36)]
    segments += small_segments(args.segments - 1, stacks, args.shared)
    with open(args.out, "wb") as out:
        pickle.dump({"segments": segments, "device_traces": [made], "allocator_settings": {},
                     "external_annotations": []}, out, protocol=4)


main()
