"""Small traces for the tests of stepscope.hta.

Each step lasts 100 us: aten::mm (10..40) launches a gemm (40..60) and an add (62..70) on stream 7, c10d::allreduce_
launches an all-reduce (50..80) on stream 20, and a copy (90..95) follows on stream 7,
which the host waits for (84..96).
"""
import json

STEP = 100
GEMM, ADD = "ampere_gemm", "void add<float>(float*)"
ALL_REDUCE, COPY = "ncclDevKernel_AllReduce_Sum", "Memcpy HtoD (Pinned -> Device)"
START = 1_000_000  # us, of the trace


def host(category, name, ts, dur, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 9, "tid": 9, "ts": START + ts, "dur": dur, "args": args}


def device(category, name, ts, dur, stream, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": stream, "ts": START + ts, "dur": dur,
            "args": {"device": 0, "stream": stream, **args}}


def launched(call, category, name, call_ts, ts, dur, stream, correlation, **args):
    return [host("cuda_runtime", call, call_ts, 3, correlation=correlation),
            device(category, name, ts, dur, stream, correlation=correlation, **args)]


def step(number, late=0):
    """The events of step `number`, from 1 on; `late` us more before the all-reduce starts."""
    at, first = (number - 1) * STEP, number * 10
    return [
        host("user_annotation", f"ProfilerStep#{number}", at, STEP),
        host("cpu_op", "aten::mm", at + 10, 30),
        *launched("cudaLaunchKernel", "kernel", GEMM, at + 20, at + 40, 20, 7, first),
        *launched("cudaLaunchKernel", "kernel", ADD, at + 35, at + 62, 8, 7, first + 1),
        host("cpu_op", "c10d::allreduce_", at + 42, 8),
        *launched("cudaLaunchKernelExC", "kernel", ALL_REDUCE, at + 44, at + 50 + late, 30 - late, 20, first + 2),
        *launched("cudaMemcpyAsync", "gpu_memcpy", COPY, at + 80, at + 90, 5, 7, first + 3, bytes=10_000,
                  **{"memory bandwidth (GB/s)": 2.0}),
        host("cuda_runtime", "cudaDeviceSynchronize", at + 84, 12, correlation=first + 4),
        {**device("gpu_user_annotation", "forward", at + 40, 30, 7), "args": {}},
    ]


def write(folder, rank=0, steps=3, events=None, name=None):
    """Writes the trace of a rank and returns its path."""
    if events is None:
        events = [event for number in range(1, steps + 1) for event in step(number)]
    path = folder / (name or f"rank{rank}.json")
    first = {"ph": "M", "name": "process_name", "pid": 9, "tid": 9, "args": {"name": "python"}}
    trace = {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": [first, *events]}
    path.write_text(json.dumps(trace))
    return str(path)
