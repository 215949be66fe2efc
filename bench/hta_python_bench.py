"""Compares the CPU time of five calls of TraceAnalysis in Python, import included: stepscope.hta and HTA.

    python hta_python_bench.py FOLDER [--hta PYTHON] [--runs N]

FOLDER has the traces of a job (`stepscope demo FOLDER --ranks 8 --min-raw-bytes 57000000`), PYTHON is that of an environment
with HTA. Prints user + system seconds of each run as a process of its own, and how many times less stepscope needs.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

CALLS = """
import sys
from {package} import TraceAnalysis
analysis = TraceAnalysis(trace_dir=sys.argv[1])
ranks = analysis.t.get_ranks()
tables = [
    analysis.get_temporal_breakdown(visualize=False),
    analysis.get_comm_comp_overlap(visualize=False),
    *analysis.get_gpu_kernel_breakdown(visualize=False),
    analysis.get_idle_time_breakdown(ranks=ranks, visualize=False)[0],
    analysis.get_gpu_user_annotation_breakdown(use_gpu_annotation=False, visualize=False),
]
print([len(table) for table in tables])
"""


def cpu_seconds(python, package, folder):
    """User + system time of the calls in a new process, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([python, "-c", CALLS.format(package=package), folder], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout.strip()


def measure(python, package, folder, runs):
    seconds = []
    for _ in range(runs):
        took, rows = cpu_seconds(python, package, folder)
        seconds.append(took)
        print(f"{package:20} {took:7.2f} s of CPU, rows {rows}", flush=True)
    return min(seconds)


def link_traces(folder, into):
    """Without truth.json, which HTA would take for the trace of a rank."""
    for name in os.listdir(folder):
        if "trace" in name:
            os.symlink(os.path.join(folder, name), os.path.join(into, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--hta", metavar="PYTHON", help="Python of an environment with HTA")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        link_traces(os.path.abspath(args.folder), folder)
        ours = measure(sys.executable, "stepscope.hta", folder, args.runs)
        if args.hta:
            theirs = measure(args.hta, "hta.trace_analysis", folder, 1)
            print(f"{theirs / ours:.0f} times less CPU than HTA")


if __name__ == "__main__":
    main()
