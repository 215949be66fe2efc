#!/usr/bin/env python3
"""Measures what Stepscope promises about speed and memory, beside a floor and a peer.

    ./dev bench [--peers] [--json FILE] [--strict]

Absolute times say little on a shared machine, so every promise is a ratio to something measured in
the same run, turn and turn about: `igzip -dc`, which only inflates the same bytes, and with --peers
Holistic Trace Analysis (HTA) on the same folder and ml-goodput-measurement on the same log. Medians
are shown. Data is made once, under build/bench.
"""
import argparse
import dataclasses
import datetime
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import goodput_bench
import timeline_bench

ROOT = Path(__file__).resolve().parent.parent
STEPSCOPE = ROOT / "build/release/stepscope"
INGEST_BENCH = ROOT / "build/release/bench/ingest_bench"
XPLANE_BENCH = ROOT / "build/release/bench/xplane_bench"
RECORDER_BENCH = ROOT / "build/release/bench/recorder_bench"
RECORDER_PY = Path(__file__).with_name("recorder_bench.py")
DATA = ROOT / "build/bench"
REAL_TRACE = ROOT / "../shared/traces/torch2/xdit_sd35/rank_0.json.gz"
PEER = Path(__file__).with_name("peer_hta.py")

ROUNDS = 15        # of commands that take a fraction of a second
PEER_ROUNDS = 3    # of commands that take many seconds
OURS_PER_PEER_ROUND = 5


@dataclasses.dataclass
class Sample:
    """What one run of a command cost."""
    wall: float  # seconds
    cpu: float   # seconds, user and system, of the process and all children it waited for
    peak: int    # bytes resident at most, of the largest single process; includes a floor of this
                 # Python's own size, about 20 MB, which the child starts out with


@dataclasses.dataclass
class Row:
    """One line of the answer: a measured value and, where one is promised, its bar."""
    key: str
    title: str
    value: float | None      # None: not measured, and `how` says why
    unit: str = "x"
    bar: float | None = None
    at_least: bool = False   # whether the bar is a minimum; else a maximum
    how: str = ""

    def verdict(self):
        if self.bar is None or self.value is None:
            return ""
        good = self.value >= self.bar if self.at_least else self.value <= self.bar
        return "pass" if good else "MISS"


def fail(message):
    sys.exit(f"bench: {message}")


def run(command, keep_output=False):
    """Runs a command to its end; returns its Sample and, if asked for, what it printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        process = subprocess.Popen([str(word) for word in command], stderr=errors,
                                   stdout=out if keep_output else subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            fail(f"exit {process.returncode} from {' '.join(map(str, command))}\n"
                 + errors.read().decode(errors="replace")[-2000:])
        out.seek(0)
        return (Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024),
                out.read().decode())


def median(samples):
    """The median of each cost."""
    return Sample(*(statistics.median(getattr(sample, field.name) for sample in samples)
                    for field in dataclasses.fields(Sample)))


def take_turns(rounds, **commands):
    """Runs the commands in turn, `rounds` times after a warm-up; the median of each, by name."""
    samples = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            sample, _ = run(command)
            if turn > 0:
                samples[name].append(sample)
    return {name: median(several) for name, several in samples.items()}


def demo(name, *options):
    """A demo job under build/bench, made again when its options or the code of demo changed."""
    folder, stamp = DATA / name, DATA / f"{name}.made-from"
    code = b"".join(path.read_bytes() for path in sorted((ROOT / "src/demo").glob("*.*")))
    recipe = f"{options} {hashlib.sha256(code).hexdigest()}"
    if not stamp.exists() or stamp.read_text() != recipe:
        print(f"bench: making {folder.relative_to(ROOT)}...", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        DATA.mkdir(parents=True, exist_ok=True)
        run([STEPSCOPE, "demo", folder, *options])
        stamp.write_text(recipe)
    return folder


def traces(folder):
    return sorted(folder.glob("rank-*"))


def raw_bytes(files):
    """Bytes of JSON in these .json.gz files."""
    inflate = subprocess.Popen(["igzip", "-dc", *map(str, files)], stdout=subprocess.PIPE)
    total = 0
    while block := inflate.stdout.read(1 << 20):
        total += len(block)
    return total if inflate.wait() == 0 else fail("igzip could not read the traces")


# What HTA is asked for too: the same question on both sides.
FOUR_BREAKDOWNS = "temporal_breakdown,comm_overlap,idle_time,kernel_breakdown"
# Those that may take longer than a quarter of reading.
LONGER = ("critical_path", "kernel_sequences")


def analyze(path, only=FOUR_BREAKDOWNS):
    return [STEPSCOPE, "analyze", path, "--format", "json"] + (["--only", only] if only else [])


def analyses():
    """The names of all analyses."""
    text = run([STEPSCOPE, "list"], keep_output=True)[1]
    return re.findall(r"^ *([a-z_]+)  ", text, re.MULTILINE)


def megabytes(count):
    return f"{count / 1e6:.0f} MB"


def milliseconds(seconds):
    return f"{seconds * 1e3:.0f} ms" if seconds < 10 else f"{seconds:.1f} s"


def bench_one_file():
    """CPU time on a real trace, in units of what inflating alone costs."""
    trace, what = REAL_TRACE, "a real trace, xdit_sd35"
    if not trace.exists():
        trace, what = traces(ranks8())[0], "a demo trace, as ../shared is not here"
    cost = take_turns(ROUNDS, ours=analyze(trace), floor=["igzip", "-dc", trace])
    ours, floor = cost["ours"], cost["floor"]
    how = (f"{what}, {megabytes(raw_bytes([trace]))} raw: {milliseconds(ours.cpu)} CPU "
           f"({milliseconds(ours.wall)} wall), igzip {milliseconds(floor.cpu)}; {ROUNDS} rounds")
    return [Row("cpu_over_igzip", "CPU of one file / igzip -dc", ours.cpu / floor.cpu, bar=4.0,
                how=how)] + bench_analyses(trace)


def bench_analyses(trace):
    """What the analyses add to reading for them."""
    quick = [name for name in analyses() if name not in LONGER]
    commands = {name: analyze(trace, name) for name in LONGER}
    cost = take_turns(ROUNDS, all=analyze(trace, None), quick=analyze(trace, ",".join(quick)),
                      reading=[INGEST_BENCH, "--needed", trace], floor=["igzip", "-dc", trace],
                      **commands)
    reading = cost["reading"].cpu
    rows = [Row("all_over_igzip", "the same, all analyses", cost["all"].cpu / cost["floor"].cpu,
                how=f"{len(quick) + len(LONGER)} analyses, {milliseconds(cost['all'].cpu)} CPU"),
            Row("analyses_over_reading", "all but two / reading", cost["quick"].cpu / reading,
                bar=1.25, how=f"{milliseconds(cost['quick'].cpu)} CPU with {len(quick)} analyses, "
                f"{milliseconds(reading)} to read what they need; {ROUNDS} rounds")]
    for name in LONGER:
        rows.append(Row(name, f"{name} alone", max(cost[name].cpu - reading, 0) * 1e3, "ms",
                        bar=500, how="CPU beyond reading what all analyses need"))
    return rows


def ranks8():
    return demo("ranks8", "--ranks", "8", "--min-raw-bytes", "54000000")


def bench_folder(peer):
    """A job of 8 ranks, beside igzip, and beside HTA when `peer` is (its Python, its version)."""
    folder = ranks8()
    files = traces(folder)
    cost = take_turns(ROUNDS // 2, ours=analyze(folder), floor=["igzip", "-dc", *files])
    ours, floor = cost["ours"], cost["floor"]
    raw = raw_bytes(files)
    rows = [
        Row("folder_wall", "8 ranks: wall time", ours.wall * 1e3, "ms",
            how=f"{megabytes(raw)} raw, {megabytes(sum(f.stat().st_size for f in files))} on disk; "
                f"{raw / ours.wall / 1e9:.1f} GB/s raw; {ROUNDS // 2} rounds"),
        Row("folder_cpu", "8 ranks: CPU time", ours.cpu * 1e3, "ms",
            how=f"{ours.cpu / floor.cpu:.2f}x igzip -dc on the same files, "
                f"{milliseconds(floor.cpu)}"),
        Row("folder_peak", "8 ranks: peak memory", ours.peak / 1e6, "MB", how="resident set"),
    ]
    if peer is None:
        why = "not measured; ./dev bench --peers"
        return rows + [
            Row("hta_wall", "8 ranks: HTA wall / ours", None, bar=100, at_least=True, how=why),
            Row("hta_memory", "8 ranks: our memory / HTA's", None, bar=0.1, how=why)]
    python, version = peer
    hta, ours, seconds, memory = beside_hta(python, folder)
    return rows + [
        Row("hta_wall", "8 ranks: HTA wall / ours", hta.wall / ours.wall, bar=100, at_least=True,
            how=f"{version}: {milliseconds(hta.wall)} (import {seconds['import']:.1f}, load "
                f"{seconds['load']:.1f}, analyses {seconds['analyses']:.1f} s), "
                f"ours {milliseconds(ours.wall)}; {PEER_ROUNDS} rounds"),
        Row("hta_cpu", "8 ranks: HTA CPU / ours", hta.cpu / ours.cpu,
            how=f"{milliseconds(hta.cpu)}, ours {milliseconds(ours.cpu)}"),
        Row("hta_memory", "8 ranks: our memory / HTA's", ours.peak / memory, bar=0.1,
            how=f"{megabytes(memory)} (sampled PSS of its processes), "
                f"ours {megabytes(ours.peak)}")]


def beside_hta(python, folder):
    """(HTA's median Sample, ours, HTA's seconds by phase, its peak bytes), turn and turn about.
    HTA's memory is sampled in a run of its own, its warm-up, as reading it costs time."""
    command = [python, PEER, folder]
    memory = peak_of_tree(command)
    hta, ours = [], []
    for _ in range(PEER_ROUNDS):
        sample, text = run(command, keep_output=True)
        hta.append((sample, json.loads(text)["seconds"]))
        ours += [run(analyze(folder))[0] for _ in range(OURS_PER_PEER_ROUND)]
    hta.sort(key=lambda pair: pair[0].wall)
    sample, seconds = hta[len(hta) // 2]
    return sample, median(ours), seconds, memory


def peak_of_tree(command):
    """Peak of the proportional set size of a command and its descendants, sampled every 0.1 s."""
    process = subprocess.Popen([str(word) for word in command],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(proportional_set(pid) for pid in descendants(process.pid)))
        time.sleep(0.1)
    return peak


def descendants(pid):
    """`pid` and every process under it."""
    found = [pid]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += [int(child) for child in children.read_text().split()]
            except OSError:
                pass  # it ended meanwhile
    return found


def proportional_set(pid):
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    match = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(match.group(1)) * 1024 if match else 0


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


XPLANE_MEGABYTES = 310


def bench_xplane():
    """Reading a profile of JAX, everything kept, in units of walking over its fields."""
    profile, stamp = DATA / "host.xplane.pb", DATA / "host.xplane.made-from"
    code = b"".join((ROOT / path).read_bytes()
                    for path in ("bench/xplane_bench.cc", "src/ingest/sample_xspace.h"))
    recipe = f"{XPLANE_MEGABYTES} {hashlib.sha256(code).hexdigest()}"
    if not stamp.exists() or stamp.read_text() != recipe:
        DATA.mkdir(parents=True, exist_ok=True)
        run([XPLANE_BENCH, "make", profile, XPLANE_MEGABYTES])
        stamp.write_text(recipe)
    size = profile.stat().st_size
    walk, read = [], []
    for _ in range(5):
        walk.append(json.loads(run([XPLANE_BENCH, "walk", profile], keep_output=True)[1]))
        read.append(json.loads(run([INGEST_BENCH, profile], keep_output=True)[1]))
    floor = statistics.median(each["cpu_s"] for each in walk)
    cpu = statistics.median(each["cpu_s"] for each in read)
    peak = max(each["peak_bytes"] for each in read)
    columns = read[0]["events"] * read[0]["bytes_per_event"]
    one = run([STEPSCOPE, "analyze", profile, "--only", "kernel_breakdown"])[0].peak
    every = run([STEPSCOPE, "analyze", profile])[0].peak
    return [
        Row("xplane_speed", "XPlane: read per CPU second", size / cpu / 1e6, "MB", bar=300,
            at_least=True, how=f"{megabytes(size)} of {read[0]['events'] / 1e6:.1f} million events, "
            f"{milliseconds(cpu)} CPU; 5 rounds"),
        Row("xplane_over_walk", "the same / walking its fields", cpu / floor,
            how=f"walk {milliseconds(floor)}, of {walk[0]['fields'] / 1e6:.0f} million fields"),
        Row("xplane_one_peak", "XPlane: peak memory less 64 MB / file", (one - 64e6) / size, bar=0.5,
            how=f"kernel_breakdown alone: {megabytes(one)}"),
        Row("xplane_all_peak", "XPlane: the same, all analyses", every / size,
            how=f"{megabytes(every)}"),
        Row("xplane_peak", "XPlane: the same, read with every event and field", peak / size,
            how=f"{megabytes(peak)}, of which columns {megabytes(columns)}: "
                f"{read[0]['bytes_per_event']:.0f} bytes for an event of "
                f"{size / read[0]['events']:.0f} in the file")]


def bench_recorder():
    """What recording an event of goodput costs a training thread, in units of its floors: the same
    32 bytes stored into a mapping, and written with write(2)."""
    cost = recorder_cost([RECORDER_BENCH])
    python = recorder_cost([sys.executable, RECORDER_PY])
    return [
        Row("event_ns", "recording an event", cost["event_ns"], "ns", bar=1000,
            how=f"p99 of batches {cost['event_p99_ns']:.0f} ns; a millisecond apart, caches cold: "
                f"{cost['spaced_ns']:.0f} ns, p99 {cost['spaced_p99_ns']:.0f} ns"),
        Row("event_over_write", "the same / write(2)", cost["event_ns"] / cost["write_ns"], bar=0.5,
            how=f"write {cost['write_ns']:.0f} ns; spaced {cost['spaced_write_ns']:.0f} ns"),
        Row("event_over_mapping", "the same / store to a mapping",
            cost["event_ns"] / cost["mapping_ns"],
            how=f"store {cost['mapping_ns']:.1f} ns; two clocks {cost['clocks_ns']:.0f} ns"),
        Row("python_event_over_write", "the same in Python / its os.write",
            python["event_ns"] / python["write_ns"],
            how=f"{python['event_ns']:.0f} ns, os.write {python['write_ns']:.0f} ns, store to a "
                f"mapping {python['mapping_ns']:.0f} ns; spaced {python['spaced_ns']:.0f} ns")]


def recorder_cost(command, rounds=3):
    """The median over some runs of each number that `command FOLDER` prints."""
    DATA.mkdir(parents=True, exist_ok=True)
    runs = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(dir=DATA) as folder:
            runs.append(json.loads(run([*command, folder], keep_output=True)[1]))
    return {key: statistics.median(each[key] for each in runs) for key in runs[0]}


def install_peer(requirement, folder="venv", beside="pandas"):
    """A throwaway environment under build/bench with a peer in it: (its Python, name and version)."""
    venv = DATA / folder
    python, stamp = venv / "bin/python", venv / "installed"
    if not stamp.exists() or stamp.read_text() != requirement:
        print(f"bench: installing {requirement} from PyPI into {venv}...", file=sys.stderr)
        shutil.rmtree(venv, ignore_errors=True)
        try:
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", requirement], check=True)
        except subprocess.CalledProcessError as error:
            fail(f"could not install the peer: {error}")
        stamp.write_text(requirement)
    name = re.split(r"[=<>~!]", requirement)[0]
    ask = ("import importlib.metadata as m; "
           f"print('{name}', m.version('{name}'), 'with {beside}', m.version('{beside}'))")
    return python, run([python, "-c", ask], keep_output=True)[1].strip()


def machine():
    model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {"cpu": model.group(1).strip() if model else "unknown", "cores": os.cpu_count(),
            "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "load": os.getloadavg()[0], "system": f"Linux {os.uname().release}"}


def print_table(rows, here, date, version):
    print(f"{version} on {here['cpu']}, {here['cores']} cores, {megabytes(here['memory'])}, "
          f"{date}\n")
    print(f"{'what':<30}{'measured':>14}  {'bar':<9}{'':<6}how")
    for row in rows:
        number = "-" if row.value is None else f"{row.value:.{2 if row.value < 10 else 0}f}"
        value = number if row.value is None else f"{number} {row.unit}"
        bar = "" if row.bar is None else f"{'>=' if row.at_least else '<='} {row.bar:g}"
        print(f"{row.title:<30}{value:>14}  {bar:<9}{row.verdict():<6}{row.how}")


def main():
    options = argparse.ArgumentParser(prog="./dev bench", description=__doc__.splitlines()[0])
    options.add_argument("--peers", action="store_true", help="measure HTA and ml-goodput-measurement too, from PyPI")
    options.add_argument("--hta", metavar="REQUIREMENT", default="HolisticTraceAnalysis",
                         help="which HTA, as pip takes it; its 0.6 releases are named traceinsight")
    options.add_argument("--json", metavar="FILE", help="write the answer here too")
    options.add_argument("--strict", action="store_true", help="exit 1 when a bar is missed")
    asked = options.parse_args()

    if not STEPSCOPE.exists():
        fail("no build/release/stepscope; ./dev build")
    if not shutil.which("igzip"):
        fail("no igzip; apt-get install isal")
    peer = install_peer(asked.hta) if asked.peers else None
    library = (install_peer("ml-goodput-measurement", "venv-goodput", "numpy")
               if asked.peers else None)
    here = machine()
    if here["load"] > 0.5:
        print(f"bench: warning: the machine is busy (load average {here['load']:.1f}); "
              "ratios hold up better than times", file=sys.stderr)

    rows = (bench_one_file() + bench_folder(peer) + bench_memory() + bench_growth() +
            bench_xplane() + bench_recorder() + timeline_bench.rows(sys.modules[__name__]) +
            goodput_bench.rows(sys.modules[__name__], library))
    date = datetime.date.today().isoformat()
    version = run([STEPSCOPE, "--version"], keep_output=True)[1].strip()
    print_table(rows, here, date, version)
    if asked.json:
        results = [dataclasses.asdict(row) | {"verdict": row.verdict()} for row in rows]
        answer = {"version": version, "date": date, "machine": here, "results": results}
        Path(asked.json).write_text(json.dumps(answer, indent=1) + "\n")
    return 1 if asked.strict and any(row.verdict() == "MISS" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
