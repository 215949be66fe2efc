"""Tells what a soak test has seen, and judges it."""
import statistics

from soak_watch import cpu_seconds, percentiles, slope

QUIET = 60     # seconds after a start that do not count for the slope
SETTLED = 2000  # ms: so late are confirmations at most where a fault is over
FLAT = 0.005   # of what there is, per minute


def in_fault(intervals, faults):
    """Which intervals a fault disturbs: until what was held up has been caught up with."""
    disturbed, open_fault = [], False
    for one in intervals:
        begins = one["at"] - 5
        if any(fault["begin"] <= one["at"] and begins <= fault["end"] for fault in faults):
            open_fault = True
        elif one["late_ms"] < SETTLED:
            open_fault = False
        disturbed.append(open_fault)
    return disturbed


def row(name, value):
    print(f"  {name:<44} {value}")


def duration(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def megabytes(value):
    return "-" if value is None else f"{value / 1e6:,.1f} MB"


def at_time(samples, key, seconds):
    """The first value from then on."""
    return next((one[key] for one in samples if key in one and one["seconds"] >= seconds), None)


def last(samples, key):
    return next((one[key] for one in reversed(samples) if key in one), None)


def tell_latency(seen):
    disturbed = in_fault(seen["intervals"], seen["faults"])
    for name, wanted in (("outside faults", False), ("during faults and after, until caught up", True)):
        some = [one for one, bad in zip(seen["intervals"], disturbed) if bad == wanted and one["requests"]]
        if not some:
            continue
        middle = lambda key: statistics.median(one[key] for one in some)
        row(f"answers {name}", f"p50 {middle('p50_ms'):.1f} ms, p99 {middle('p99_ms'):.1f} ms (worst 5 s: "
            f"{max(one['p99_ms'] for one in some):.0f} ms), longest {max(one['max_ms'] for one in some):.0f} ms, "
            f"latest confirmation {max(one['late_ms'] for one in some) / 1000:.1f} s after it was due; {len(some) * 5} s")
    for name in sorted({one["question"] for one in seen["answers"]}):
        took = [one["took"] for one in seen["answers"] if one["question"] == name and not one["error"]]
        p50, p99, most = percentiles(took)
        failed = sum(1 for one in seen["answers"] if one["question"] == name and one["error"])
        if took:
            row(f"question {name}", f"{len(took)} answers, p50 {duration(p50)}, p99 {duration(p99)}, longest {duration(most)}, {failed} failed")
        else:
            row(f"question {name}", f"no answer, {failed} failed")


def tell_memory(seen, name):
    """Whether the memory of this server is flat over the second half."""
    samples, total = seen["samples"], seen["minutes"] * 60
    key = f"{name}_anon"
    grows, end = slope(samples, key, total / 2, total, min(QUIET, total / 8)), last(samples, key)
    early = min(300, total / 3)
    row(f"{name}: resident at {early:.0f} s, at the end", f"{megabytes(at_time(samples, f'{name}_rss', early))}, "
        f"{megabytes(last(samples, f'{name}_rss'))}; anonymous {megabytes(at_time(samples, key, early))}, {megabytes(end)}")
    if grows is None or not end:
        row(f"{name}: slope over the second half", "too few samples")
        return
    flat = grows < FLAT * end
    row(f"{name}: slope over the second half", f"{grows / 1e6:+.2f} MB/min of anonymous memory ({'flat' if flat else 'NOT FLAT'})")
    row(f"{name}: CPU", f"{cpu_seconds(samples, f'{name}_cpu') / total:.2f} cores")


def tell_load(seen):
    loads = [one["load"] for one in seen["samples"] if "load" in one]
    if loads:
        row("load of the machine (1 min), mean, most", f"{statistics.mean(loads):.1f}, {max(loads):.1f}")


def tell_database(seen):
    behind = [one["behind"] for one in seen["samples"] if "behind" in one]
    if behind:
        row("events that the database lacked", f"median {statistics.median(behind):,.0f}, most {max(behind):,}")
        row("size of the database", megabytes(last(seen["samples"], "database")))
        row("PostgreSQL: CPU", f"{cpu_seconds(seen['samples'], 'postgres_cpu') / seen['minutes'] / 60:.2f} cores")


def tell_events(seen):
    """Whether nothing is lost or doubled."""
    good, end = True, seen["intervals"][-1]
    row("requests refused, unanswered; no connection", f"{end['refused']}, {end['unanswered']}; {end['unconnected']}")
    row("rate held", f"{end['confirmed'] / end['seconds']:,.0f} of {seen['rate']:,} events/s over {end['seconds']:.0f} s")
    for name in ("counted", "counted_in_database"):
        if name not in seen:
            continue
        row(name.replace("_", " "), ", ".join(f"{key} {value:,}" for key, value in seen[name].items()))
        bad = ("lost", "doubled", "never_sent", "unknown_writers", "unreadable_segments", "wrong_checksums")
        good = good and not any(seen[name].get(key) for key in bad)
    row("jobs that `goodput jobs` counts otherwise", f"{len(seen['jobs_wrong'])} ({seen['jobs_seconds']:.1f} s)")
    for where, check in seen["checks"].items():
        row(f"check of {where.rsplit('/', 1)[-1]}", f"exit {check['code']}, {check['seconds']:.1f} s: {check['told']}")
        good = good and check["code"] == 0
    return good and not seen["jobs_wrong"]


def tell_server(seen):
    row("starts of the server", ", ".join(f"{took:.1f} s" for took in seen["starts"]) +
        f"; {seen['refused_starts']} refused; ended by itself: {seen['own_ends'] or 'never'}")
    row("its end took", f"{seen['stopped'][0]:.1f} s, exit {seen['stopped'][1]}")
    if seen["gave_up"]:
        row("starts", "GIVEN UP: the server did not start again; its log says why")
    row("open files at most, allowed", f"{max(one.get('server_files', 0) for one in seen['samples'])}, {seen['files_allowed']}")
    row("size of the store", megabytes(max(one.get("store", 0) for one in seen["samples"])))
    if seen["cannot_fill"]:
        row("full disk", "SKIPPED: no right to mount a disk of its own")


def tell_runs(seen):
    waits = [seen["appeared"][name] - when for name, when in seen["added"].items() if name in seen["appeared"]]
    p50, _, most = percentiles(waits)
    row("runs added, ready, wait until ready", f"{len(seen['added'])}, {len(waits)}" + (f", p50 {p50:.1f} s, longest {most:.1f} s" if waits else ""))
    errors = [one for one in seen["answers"] if one["error"]]
    for error in sorted({f"{one['question']}: {one['error']}" for one in errors})[:10]:
        row("error", error)
    return not errors and not seen["own_ends"]


def tell(seen):
    """Prints all of it; whether it is good. Growing memory is told and fails nothing: a ledger that grows may need some."""
    print(f"soak: {seen['store']}, {seen['minutes']:.1f} min")
    tell_load(seen)
    if seen["store"] == "page":
        seen["intervals"], seen["faults"] = [], []
        tell_latency(seen)
        tell_memory(seen, "server")
        return tell_runs(seen)
    good = tell_events(seen) and not seen["own_ends"] and not seen["gave_up"]
    tell_latency(seen)
    tell_server(seen)
    tell_memory(seen, "server")
    tell_memory(seen, "page")
    tell_database(seen)
    return good
