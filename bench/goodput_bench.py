"""What `stepscope goodput analyze` costs on a million steps."""
import json
import random
import sys
from pathlib import Path

import measure as bench

STEPS = 1_000_000
PEER = Path(__file__).with_name("peer_goodput.py")


def make_log(path):
    """Entries as ml-goodput-measurement caches them: a start, and steps of a second or so."""
    chance, now = random.Random(1), 1_780_000_000.0
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as out:
        out.write(json.dumps({"job_name": "bench", "job_start_time": now}) + "\n")
        for step in range(STEPS):
            entry = {"job_name": "bench", "step_count": step, "step_start_time": round(now, 6)}
            out.write(json.dumps(entry) + "\n")
            now += 1 + 0.1 * chance.random()


def rows(peer):
    """The rows of the answer; `peer`: a Python with the reference library and its name, or None."""
    log = bench.DATA / "goodput-million.jsonl"
    packed = log.with_suffix(".jsonl.gz")
    if not packed.exists():
        print(f"bench: making {log.name}...", file=sys.stderr)
        make_log(log)
        bench.run(["gzip", "-1", "-k", "-f", log])
    report = [bench.STEPSCOPE, "goodput", "analyze", "--format", "json", "--events"]
    cost = bench.take_turns(bench.ROUNDS, ours=[*report, log], packed=[*report, packed],
                            floor=["wc", "-l", log])
    ours, gz = cost["ours"], cost["packed"]
    answer = [
        bench.Row("goodput_ms", "goodput of 1e6 steps", ours.wall * 1e3, "ms", bar=100,
                  how=f"first query, {bench.milliseconds(ours.cpu)} CPU, "
                      f"{bench.megabytes(ours.peak)}; wc -l {bench.milliseconds(cost['floor'].wall)}"),
        bench.Row("goodput_gz_ms", "the same from .gz", gz.wall * 1e3, "ms",
                  how=f"{bench.milliseconds(gz.cpu)} CPU, {bench.megabytes(gz.peak)}"),
        bench.Row("goodput_memory", "memory of it", ours.peak / 1e6, "MB", bar=120)]
    return answer + (beside(log, ours, *peer) if peer else [])


def beside(log, ours, python, name):
    """The reference library on the same log, once: it takes a quarter of a minute."""
    sample, said = bench.run([python, PEER, log], keep_output=True)
    query = json.loads(said)["seconds"]["query"]
    again = bench.take_turns(5, ours=[bench.STEPSCOPE, "goodput", "analyze", "--events", log])["ours"]
    return [
        bench.Row("goodput_speedup", "faster than the library", query / again.wall, bar=100,
                  at_least=True, how=f"{name}: {query:.1f} s for the first query alone, all "
                                     f"entries in memory; ours, right after it, reads the file"),
        bench.Row("goodput_memory_share", "memory / that of the library", ours.peak / sample.peak,
                  bar=0.1, how=f"{bench.megabytes(sample.peak)}")]
