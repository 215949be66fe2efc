"""The rows of `./dev bench` about the timeline: what an event costs, and what a tile costs beside a
look at every event it covers."""
import json

import measure as bench

EVENTS = 5_000_000


def rows():
    binary = bench.ROOT / "build/release/bench/timeline_bench"
    if not binary.exists():
        return [bench.Row("tile", "timeline: a tile", None, how=f"there is no {binary}")]
    cost = json.loads(bench.run([binary, EVENTS], keep_output=True)[1])
    how = f"{cost['events'] / 1e6:.0f} million events, {cost['track_events'] / 1e6:.1f} on one track"
    return [
        bench.Row("timeline_bytes", "timeline: memory per event", cost["bytes_per_event"], "bytes",
                  bar=32, how=f"fields, links and counters with it; {how}"),
        bench.Row("timeline_build", "timeline: built per event",
                  cost["build_s"] / cost["events"] * 1e9, "ns",
                  how=f"{cost['build_s']:.2f} s; setting the columns' bytes alone "
                      f"{cost['copy_s']:.2f} s"),
        bench.Row("tile", "timeline: the dearest tile", cost["tile_worst_ms"], "ms", bar=2,
                  how=f"of all levels, mean {cost['tile_mean_ms']:.3f} ms, at most "
                      f"{cost['tile_bytes'] / 1e3:.0f} KB; a look at all events "
                      f"{cost['scan_ms']:.1f} ms"),
        bench.Row("timeline_select", "timeline: select all", cost["select_ms"], "ms",
                  how=f"by name; all events of one name {cost['occurrences_ms']:.0f} ms, the next "
                      f"100 matches of a search {cost['find_ms']:.2f} ms"),
    ]
