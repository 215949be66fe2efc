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
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import fleet_bench
import goodput_bench
import memory_bench
import partials_bench
import query_bench
import replay_bench
import timeline_bench
import xplane_bench
from measure import (DATA, INGEST_BENCH, LONGER, OURS_PER_PEER_ROUND, PEER_ROUNDS, REAL_TRACE,
                     ROOT, ROUNDS, STEPSCOPE, Row, analyses, analyze, demo, fail, median,
                     megabytes, milliseconds, peak_of_tree, ranks8, raw_bytes, run, take_turns,
                     traces)

RECORDER_BENCH = ROOT / "build/release/bench/recorder_bench"
RECORDER_PY = Path(__file__).with_name("recorder_bench.py")
PEER = Path(__file__).with_name("peer_hta.py")


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


def bench_plain_file():
    """A large trace that is not compressed, read in shares on all processors."""
    trace = traces(demo("plain", "--ranks", "1", "--slow-rank", "-1", "--no-compress",
                        "--min-raw-bytes", "310000000"))[0]
    cost = take_turns(5, ours=analyze(trace), alone=[*analyze(trace), "--threads", "1"])
    ours, alone = cost["ours"], cost["alone"]
    return [Row("plain_wall", "one plain file: a thread / all", alone.wall / ours.wall,
                how=f"{megabytes(trace.stat().st_size)}: {milliseconds(alone.wall)} on one thread, "
                    f"{milliseconds(ours.wall)} on {os.cpu_count()} processors; 5 rounds")]


def bench_replay():
    """What the replay of all ranks adds: without `whatif` and `stragglers` no graph is built."""
    folder = demo("ranks8_plain", "--ranks", "8", "--no-compress", "--min-raw-bytes", "57000000")
    others = [name for name in analyses() if name not in ("whatif", "stragglers")]
    cost = take_turns(5, all=analyze(folder, None), others=analyze(folder, ",".join(others)))
    with_replay, without = cost["all"], cost["others"]
    return [Row("replay_cpu", "8 ranks: with replay / without", with_replay.cpu / without.cpu,
                bar=1.5, how=f"CPU of all analyses, {milliseconds(with_replay.cpu)} to "
                f"{milliseconds(without.cpu)}; 5 rounds"),
            Row("replay_peak", "the same: peak memory", with_replay.peak / without.peak,
                how=f"{megabytes(with_replay.peak)} to {megabytes(without.peak)}")]


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


def jax_requirement():
    """The JAX whose profiles the tests read too."""
    pinned = (ROOT / "tests/interop/requirements.txt").read_text()
    return re.search(r"^jax==.*$", pinned, re.MULTILINE).group()


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
    options.add_argument("--xplane", metavar="FILE",
                         help="a real profile of JAX; else --peers records one with JAX from PyPI")
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
    jax = install_peer(jax_requirement(), "venv-jax", "jaxlib") if asked.peers else None
    here = machine()
    if here["load"] > 0.5:
        print(f"bench: warning: the machine is busy (load average {here['load']:.1f}); "
              "ratios hold up better than times", file=sys.stderr)

    rows = (bench_one_file() + bench_plain_file() + bench_replay() + bench_folder(peer) +
            memory_bench.rows() + xplane_bench.rows(jax, asked.xplane) + bench_recorder() +
            timeline_bench.rows() + query_bench.rows() + partials_bench.rows() + fleet_bench.rows() +
            goodput_bench.rows(library))
    date = datetime.date.today().isoformat()
    version = run([STEPSCOPE, "--version"], keep_output=True)[1].strip()
    print_table(rows, here, date, version)
    replay_bench.write_errors()
    if asked.json:
        results = [dataclasses.asdict(row) | {"verdict": row.verdict()} for row in rows]
        answer = {"version": version, "date": date, "machine": here, "results": results}
        Path(asked.json).write_text(json.dumps(answer, indent=1) + "\n")
    return 1 if asked.strict and any(row.verdict() == "MISS" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
