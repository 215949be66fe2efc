"""What the benchmarks measure with: a command run to its end, a row of the answer, data made once."""
import dataclasses
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STEPSCOPE = ROOT / "build/release/stepscope"
INGEST_BENCH = ROOT / "build/release/bench/ingest_bench"
DATA = ROOT / "build/bench"
REAL_TRACE = ROOT / "../shared/traces/torch2/xdit_sd35/rank_0.json.gz"

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


def ranks8():
    return demo("ranks8", "--ranks", "8", "--min-raw-bytes", "54000000")


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
