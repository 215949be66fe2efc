"""Truths that agent_bench.py compares answers with: from a demo's truth.json, or read directly from a trace's JSON,
never from stepscope. Times are whole ns."""
import gzip
import json
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path


@cache
def demo(folder):
    return json.loads((Path(folder) / "truth.json").read_text())


@cache
def trace(file):
    opener = gzip.open if file.endswith(".gz") else open
    with opener(file, "rt", encoding="utf-8", errors="replace") as text:
        return json.load(text)


def traces(folder):
    """The trace of each rank, by rank; of a folder with one rank, of each file."""
    files = sorted(f for f in Path(folder).iterdir() if f.name.endswith((".json", ".json.gz")) and f.name != "truth.json")
    read = [trace(str(file)) for file in files]
    return sorted(read, key=lambda t: (t.get("distributedInfo") or {}).get("rank", 0))


def ns(microseconds):
    return round(microseconds * 1000)


def events(folder, *categories):
    for one in traces(folder):
        for event in one["traceEvents"]:
            if event.get("ph") == "X" and event.get("cat") in categories:
                yield event


# Of truth.json.

def planted(folder, key):
    return demo(folder)["planted"][key]


def option(folder, key):
    return demo(folder)["options"][key]


def usage(folder, rank, key):
    """`span`, `busy`, `idle`, `compute`, `communication`, `exposed`, ... of the devices of a rank."""
    return sum(r[key] for r in demo(folder)["ranks"] if r["rank"] == rank)


def total(folder, key):
    return sum(r[key] for r in demo(folder)["ranks"])


def most(folder, key):
    """The rank with the most of it."""
    return max(demo(folder)["ranks"], key=lambda r: r[key])["rank"]


def steps(folder):
    return [s["step"] for s in demo(folder)["ranks"][0]["steps"]]


def first_step(folder):
    return steps(folder)[0]


def number_of_steps(folder):
    return len(steps(folder))


def step_time(folder, rank, step):
    """From the end of the step before, or its own start, to the end of its annotation and its activities."""
    end, start, found = 0, 0, None
    for s in next(r for r in demo(folder)["ranks"] if r["rank"] == rank)["steps"]:
        start = max(s["start"], end)
        end = max(s["end"], s["gpu_end"])
        if s["step"] == step:
            found = end - start
    return found


def slowest_step(folder, rank):
    return max(steps(folder), key=lambda step: step_time(folder, rank, step))


def kernels_of_truth(folder, kind):
    sums, counts = Counter(), Counter()
    for rank in demo(folder)["ranks"]:
        for kernel in rank["kernels"]:
            if kernel["kind"] == kind:
                sums[kernel["name"]] += kernel["sum"]
                counts[kernel["name"]] += kernel["count"]
    return sums, counts


def top_kernel(folder, kind):
    return kernels_of_truth(folder, kind)[0].most_common(1)[0][0]


def top_kernel_time(folder, kind):
    return kernels_of_truth(folder, kind)[0].most_common(1)[0][1]


def kernel_calls(folder, kind):
    return sum(kernels_of_truth(folder, kind)[1].values())


def clock_offset(folder, rank):
    """Ahead of the mean clock of all ranks."""
    offsets = {r["rank"]: r["clock_offset"] for r in demo(folder)["ranks"]}
    return offsets[rank] - offsets[0]


# Of the traces themselves.

def top_name(folder, *categories):
    """The name with the most time in events of these categories."""
    sums = Counter()
    for event in events(folder, *categories):
        sums[event["name"]] += ns(event["dur"])
    return sums.most_common(1)[0][0]


def top_time(folder, *categories):
    sums = Counter()
    for event in events(folder, *categories):
        sums[event["name"]] += ns(event["dur"])
    return sums.most_common(1)[0][1]


def longest(folder, *categories):
    return max(ns(event["dur"]) for event in events(folder, *categories))


def count(folder, category, name=""):
    return sum(1 for event in events(folder, category) if not name or event["name"] == name)


def number_of_files(folder):
    return len(traces(folder))


def world_size(folder):
    return traces(folder)[0]["distributedInfo"]["world_size"]


def peak_memory(folder, rank, key):
    """The largest `Total Allocated` or `Total Reserved` of device 0 and up."""
    return max(e["args"][key] for e in traces(folder)[rank]["traceEvents"]
               if e.get("name") == "[memory]" and e["args"].get("Device Type") == 1)


def copied_bytes(folder, rank, part):
    return sum(e["args"]["bytes"] for e in traces(folder)[rank]["traceEvents"]
               if e.get("cat") == "gpu_memcpy" and part in e["name"])


def device_name(folder):
    return traces(folder)[0]["deviceProperties"][0]["name"]


def collectives(folder):
    """{place in the rank's order: {rank: start}} of all-reduces; clocks agree."""
    found = defaultdict(dict)
    for rank, one in enumerate(traces(folder)):
        kernels = sorted((ns(e["ts"]) for e in one["traceEvents"]
                          if e.get("cat") == "kernel" and e["name"].startswith("nccl")))
        for place, start in enumerate(kernels):
            found[place][rank] = start
    return found


def waits(folder):
    """Sum over ranks of the time before the last one came, by collective."""
    return [sum(max(starts.values()) - start for start in starts.values()) for starts in collectives(folder).values()]


def longest_wait(folder):
    return max(waits(folder))


def wait_of_rank(folder, rank):
    return sum(max(starts.values()) - starts[rank] for starts in collectives(folder).values())


def times_last(folder, rank):
    return sum(1 for starts in collectives(folder).values() if max(starts, key=starts.get) == rank)


def bytes_per_message(folder):
    sizes = {"BFloat16": 2, "Half": 2, "Float": 4}
    return max(e["args"]["In msg nelems"] * sizes[e["args"]["dtype"]] for e in events(folder, "kernel")
               if "In msg nelems" in e.get("args", {}))


def span(folder, *categories):
    found = list(events(folder, *categories))
    return max(ns(e["ts"]) + ns(e["dur"]) for e in found) - min(ns(e["ts"]) for e in found)


def union(folder, *categories):
    """Time in which at least one of these events runs."""
    busy, end = 0, None
    for start, stop in sorted((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])) for e in events(folder, *categories)):
        if end is None or start > end:
            busy, end = busy + stop - start, stop
        elif stop > end:
            busy, end = busy + stop - end, stop
    return busy


def profiled_steps(folder):
    """Of all files; the category's name has changed over the years."""
    return sum(len({e["name"] for e in one["traceEvents"]
                    if str(e.get("name")).startswith("ProfilerStep#") and not str(e.get("cat")).startswith("gpu")})
               for one in traces(folder))


def of_file(folder, key):
    """Of a truth.json that somebody else wrote."""
    return json.loads((Path(folder) / "truth.json").read_text())[key]


def no_slow_rank(folder):
    return "none" if planted(folder, "slow_rank") < 0 else planted(folder, "slow_rank")


def data_parallel(folder):
    """All ranks are in one group that reduces gradients."""
    info = traces(folder)[0]["distributedInfo"]
    return f"dp {info['world_size']}" if info["pg_count"] == 1 else None


def memory_if_not_recorded(folder):
    recorded = any(e.get("name") == "[memory]" for one in traces(folder) for e in one["traceEvents"])
    return None if recorded else "memory"


def modules(folder, kind):
    """Instances of nn.Module, by the names that Python's stacks give them: "nn.Module: Linear_12"."""
    return len({e["name"] for e in traces(folder)[0]["traceEvents"]
                if str(e.get("name")).startswith(f"nn.Module: {kind}_")})


def text(folder, words):
    """What the plant itself says."""
    return words
