#!/usr/bin/env python3
"""Writes a large export of Nsight Systems, to measure Stepscope with.

    bench/make_nsys.py OUT [--bytes 1000000000] [--processes 2] [--names 5000]

All columns of schema 3.25 are there, and filled as in exports of PyTorch jobs that ran under emit_nvtx(): each step has
operators (ranges with an op_id of their own), calls, kernels, copies and all-reduces.
"""
import argparse
import os
import sqlite3

KERNEL = """start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER,
cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL,
gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL,
localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER,
sharedMemoryLimitConfig INTEGER, qmdBulkReleaseDone INTEGER, qmdPreexitDone INTEGER, qmdLastCtaDone INTEGER,
graphId INTEGER, clusterX INTEGER, clusterY INTEGER, clusterZ INTEGER, clusterSchedulingPolicy INTEGER,
maxPotentialClusterSize INTEGER, maxActiveClusters INTEGER, sharedMemoryRequestedPercentage INTEGER,
tensorSizeMinusOneElements INTEGER"""
COPY = """start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER,
srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER,
virtualAddress INTEGER, copyCount INTEGER"""
CALL = """start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER"""
RANGE = """start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER,
color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER,
uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL,
jsonTextId INTEGER, jsonText TEXT, binaryData TEXT"""
TABLES = {"CUPTI_ACTIVITY_KIND_KERNEL": KERNEL, "CUPTI_ACTIVITY_KIND_MEMCPY": COPY,
          "CUPTI_ACTIVITY_KIND_RUNTIME": CALL, "NVTX_EVENTS": RANGE,
          "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
          "META_DATA_EXPORT": "name TEXT, value TEXT",
          "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT"}
OPERATORS = [f"aten::{name}" for name in ("linear", "addmm", "mul", "add", "gelu", "native_layer_norm", "bmm", "copy_")]


def rows_of_step(step, process, names, at):
    """Ranges, calls, kernels and copies of one step of one process."""
    pid = (1 << 48) + ((100 + process) << 24)
    tid, device = pid + 100, process
    ranges, calls, kernels, copies = [], [], [], []
    gpu, first = at + 20_000, at
    for op in range(1000):
        correlation = step * 2000 + op + 1
        text = f"{OPERATORS[op % 8]}, op_id = {correlation}"
        ranges.append((at, at + 9000, 59, None, None, None, text, tid, None, None, 0) + (None,) * 9)
        calls.append((at + 3000, at + 7000, 0, tid, correlation, 2, 0, None))
        gpu = max(gpu, at + 8000)
        if op % 50 == 49:
            copies.append((gpu, gpu + 4000, device, 1, None, 7, correlation, pid, 1 << 20, 8, None, 2, 2) + (None,) * 7
                          + (1,))
        else:
            name = 3 if op % 100 == 98 else 10 + 2 * ((op * 7 + step) % names)
            stream = 20 if name == 3 else 7
            kernels.append((gpu, gpu + 7000, device, 1, None, stream, correlation, pid, name, name + 1, name + 1, 1, 0, 64,
                            256, 1, 1, 128, 1, 1, 0, 16384, 0, 84 << 20, correlation, 32768, None, 0, 0, 0, 0, None, 1,
                            1, 1, 0, 8, 4, None, None))
        gpu += 7100
        at += 10_000
    at = max(at, gpu)
    ranges.append((first, at, 59, None, None, None, f"step {step}", tid, None, None, 0) + (None,) * 9)
    return at, {"NVTX_EVENTS": ranges, "CUPTI_ACTIVITY_KIND_RUNTIME": calls, "CUPTI_ACTIVITY_KIND_KERNEL": kernels,
                "CUPTI_ACTIVITY_KIND_MEMCPY": copies}


def put(db, table, rows):
    if rows:
        db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def write(path, target, processes, names):
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    for table, columns in TABLES.items():
        db.execute(f"CREATE TABLE {table} ({columns})")
    put(db, "StringIds", [(1, "step"), (2, "cudaLaunchKernel_v7000"), (3, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(args)"),
                          (4, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL")])
    put(db, "StringIds", [(10 + i, f"void kernel_{i // 2}<(int)128, float>(float *, int)") for i in range(2 * names)])
    put(db, "META_DATA_EXPORT", [("EXPORT_SCHEMA_VERSION", "3.25.0"), ("EXPORT_SCHEMA_VERSION_MAJOR", "3")])
    put(db, "TARGET_INFO_SESSION_START_TIME", [(1_779_782_330_000_000_000, "", "")])
    at, step = 1_000_000_000, 0
    while os.path.getsize(path) < target:
        starts = [rows_of_step(step, process, names, at) for process in range(processes)]
        for _, tables in starts:
            for table, rows in tables.items():
                put(db, table, rows)
        at = max(end for end, _ in starts) + 50_000
        step += 1
        if step % 20 == 0:
            db.commit()
    db.commit()
    db.close()
    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--names", type=int, default=5000)
    args = parser.parse_args()
    steps = write(args.out, args.bytes, args.processes, args.names)
    print(f"{args.out}: {os.path.getsize(args.out)} bytes, {steps} steps of {args.processes} processes")


if __name__ == "__main__":
    main()
