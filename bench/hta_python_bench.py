"""Compares the CPU time of five calls of TraceAnalysis in Python, import included: stepscope.hta and HTA; and of the same
five reports by stepscope's own classes, as columns, as frames of Polars and of pandas.

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

OWN = """
import sys
import stepscope
names = ["temporal_breakdown", "comm_overlap", "kernel_breakdown", "idle_time", "user_annotations"]
reports = stepscope.open(sys.argv[1], analyses=names, progress=False).analyze(names)
tables = [{table} for report in reports.values() for table in report.tables.values()]
print([len(table) for table in tables])
"""
PROGRAMS = {
    "stepscope, columns": OWN.replace("{table}", "table.to_dict()"),
    "stepscope, Polars": OWN.replace("{table}", "table.df(library='polars')"),
    "stepscope, pandas": OWN.replace("{table}", "table.df(library='pandas')"),
    "stepscope.hta": CALLS.format(package="stepscope.hta"),
}


def cpu_seconds(python, program, folder):
    """User + system time of the calls in a new process, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([python, "-c", program, folder], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout.strip()


def measure(python, name, program, folder, runs):
    seconds = []
    for _ in range(runs):
        took, rows = cpu_seconds(python, program, folder)
        seconds.append(took)
        print(f"{name:20} {took:7.2f} s of CPU, rows {rows}", flush=True)
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
        ours = {name: measure(sys.executable, name, program, folder, args.runs) for name, program in PROGRAMS.items()}
        if args.hta:
            theirs = measure(args.hta, "HTA", CALLS.format(package="hta.trace_analysis"), folder, 1)
            for name, seconds in ours.items():
                print(f"{name}: {theirs / seconds:.0f} times less CPU than HTA")


if __name__ == "__main__":
    main()
