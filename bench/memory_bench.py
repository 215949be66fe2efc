"""The rows of `./dev bench` about memory: of a large trace, of its columns; and how cost grows."""
import json
from pathlib import Path

from measure import (INGEST_BENCH, REAL_TRACE, Row, analyze, demo, megabytes, milliseconds, raw_bytes,
                     run, take_turns, traces)


def rows():
    return bench_memory() + bench_growth()


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
