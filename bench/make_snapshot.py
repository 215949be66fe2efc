#!/usr/bin/env python3
"""Writes a large memory snapshot as PyTorch would pickle it, to measure `stepscope memory` with.

    bench/make_snapshot.py OUT [--bytes 1000000000] [--frames 24] [--stacks 2000]

Each event has its own list of frames (as PyTorch writes allocations with C++ stacks), with --shared
events share the lists of their stack (as it writes them with Python stacks alone).
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("--stacks", type=int, default=2000)
    parser.add_argument("--shared", action="store_true")
    args = parser.parse_args()
    made, live = events(args.bytes, stacks_of(args.stacks, args.frames), args.shared)
    blocks = [{"address": a, "size": (s + 511) // 512 * 512, "requested_size": s,
               "state": "active_allocated", "frames": []} for a, s in live]
    total = 1 << 36
    segment = {"device": 0, "address": 0x7f0000000000, "total_size": total,
               "allocated_size": sum(b["size"] for b in blocks), "active_size": 0,
               "requested_size": sum(s for _, s in live), "stream": 0, "segment_type": "large",
               "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks}
    with open(args.out, "wb") as out:
        pickle.dump({"segments": [segment], "device_traces": [made], "allocator_settings": {},
                     "external_annotations": []}, out, protocol=4)


main()
