"""Asks Holistic Trace Analysis what Stepscope answers, for bench.py: load a folder, four analyses.

    python peer_hta.py FOLDER    (with the Python of an environment that holds HTA)

Prints one line of JSON: seconds of import, loading and analyses, and rows as a proof of work.
HTA's own messages go to stderr.
"""
import json
import sys
import time
from pathlib import Path

started = time.monotonic()


def lap():
    """Seconds since the last lap."""
    global started
    before, started = started, time.monotonic()
    return started - before


def main(folder):
    answer, sys.stdout = sys.stdout, sys.stderr  # HTA prints its progress
    from hta.trace_analysis import TraceAnalysis
    seconds = {"import": lap()}

    # Given by rank: HTA's own detection needs a certain spelling of the metadata.
    traces = sorted(path for path in Path(folder).iterdir() if path.name.startswith("rank-"))
    ranks = {int(path.name.split("-")[1].split(".")[0]): str(path) for path in traces}
    analysis = TraceAnalysis(trace_files=ranks)
    seconds["load"] = lap()

    tables = [
        analysis.get_temporal_breakdown(visualize=False),
        analysis.get_idle_time_breakdown(ranks=sorted(ranks), visualize=False)[0],
        *analysis.get_gpu_kernel_breakdown(visualize=False),
        analysis.get_comm_comp_overlap(visualize=False),
    ]
    seconds["analyses"] = lap()
    print(json.dumps({"seconds": seconds, "rows": [len(t) for t in tables]}), file=answer)


if __name__ == "__main__":
    main(sys.argv[1])
