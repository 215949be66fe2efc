"""The rows of `./dev bench` about memory: of a large trace, of its columns; and how cost grows."""
import json
import sys
from pathlib import Path

from measure import (DATA, INGEST_BENCH, REAL_TRACE, STEPSCOPE, Row, analyze, demo, megabytes, milliseconds, raw_bytes,
                     run, take_turns, traces)

MAKE_SNAPSHOT = Path(__file__).with_name("make_snapshot.py")


def rows():
    return bench_memory() + bench_growth() + bench_snapshots()


def bench_memory():
    """Memory on one file of over 300 MB of JSON."""
    trace = traces(demo("single", "--ranks", "1", "--slow-rank", "-1",
                        "--min-raw-bytes", "310000000"))[0]
    raw = raw_bytes([trace])
    ours = take_turns(5, ours=analyze(trace))["ours"]
    rows = [Row("memory_over_raw", "peak memory / raw JSON", ours.peak / raw, bar=0.35,
                how=f"one file of {megabytes(raw)} raw: {megabytes(ours.peak)} resident, "
                    f"{milliseconds(ours.wall)} wall")]
    return rows + [bench_columns([trace, *filter(Path.exists, [REAL_TRACE])])]


def bench_columns(files):
    """Bytes of columns per event with everything kept, of the file that needs most."""
    row = Row("bytes_per_event", "columns per event", None, "bytes", bar=64)
    if not INGEST_BENCH.exists():
        row.how = "not measured; there is no build/release/bench/ingest_bench"
        return row
    _, text = run([INGEST_BENCH, *files], keep_output=True)
    costs = [json.loads(line) for line in text.splitlines()]
    row.value = max(cost["bytes_per_event"] for cost in costs)
    row.how = "every event and field kept, strings aside: " + ", ".join(
        f"{cost['bytes_per_event']:.0f} for each of {cost['events']:,} events" for cost in costs)
    return row


def bench_snapshots():
    """Memory snapshots of 250 MB of four kinds, against Python's own unpickler and against reading the bytes."""
    kinds = {"own stacks": ["--stacks", "2000"], "shared stacks": ["--shared"],
             "many stacks": ["--stacks", "50000"],
             "small segments": ["--shared", "--segments", "150000", "--bytes", "100000000"]}
    rows = []
    for kind, options in kinds.items():
        path = DATA / f"snapshot_{kind.replace(' ', '_')}.pickle"
        if not path.exists():
            DATA.mkdir(parents=True, exist_ok=True)
            run([sys.executable, MAKE_SNAPSHOT, path, "--bytes", "250000000", *options])
        size = path.stat().st_size
        load = "import pickle, sys; pickle.load(open(sys.argv[1], 'rb'))"
        cost = take_turns(3, ours=[STEPSCOPE, "memory", path], floor=["wc", "-l", path],
                          python=[sys.executable, "-c", load, path])
        ours, python = cost["ours"], cost["python"]
        key = kind.replace(" ", "_")
        rows += [Row(f"snapshot_{key}_over_pickle", f"CPU of a snapshot, {kind} / pickle.load",
                     ours.cpu / python.cpu, bar=1.0,
                     how=f"{megabytes(size)}: {ours.cpu / size * 1e9:.2f} s of CPU per GB, wc -l "
                         f"{cost['floor'].cpu / size * 1e9:.2f} s, pickle.load "
                         f"{python.cpu / size * 1e9:.2f} s; {milliseconds(ours.wall)} wall"),
                 Row(f"snapshot_{key}_memory", "its memory / its size", ours.peak / size, bar=0.6,
                     how=f"{megabytes(ours.peak)}; of 1 GB at most half, as 20 MB are the program")]
    return rows


def bench_growth():
    """All analyses on a single step of more and more events: CPU per event, smallest to largest."""
    layers = [144, 288, 575, 1150, 2300]  # of about 460 events each
    points = []
    for count in layers:
        trace = traces(demo(f"step{count}", "--ranks", "1", "--steps", "1", "--slow-rank", "-1",
                            "--layers", str(count)))[0]
        events = json.loads(run(analyze(trace), keep_output=True)[1])["run"]["files"][0]["events"]
        points.append((events, take_turns(5, ours=analyze(trace, None))["ours"]))
    small, large = points[0], points[-1]
    per_event = [f"{events / 1e3:.0f}k events: {sample.cpu / events * 1e9:.0f} ns each"
                 for events, sample in points]
    return [Row("growth", f"growth of cost to {large[0] / 1e6:.1f}M events",
                (large[1].cpu / small[1].cpu) / (large[0] / small[0]), bar=1.5,
                how=f"one step, all analyses, CPU per event; {', '.join(per_event)}")]
