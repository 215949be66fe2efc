"""The rows of `./dev bench` about profiles of JAX: the speed of reading one, and its memory."""
import hashlib
import json
import shutil
import statistics
import sys
from pathlib import Path

from measure import (DATA, INGEST_BENCH, ROOT, STEPSCOPE, Row, fail, megabytes, milliseconds, run,
                     take_turns)

XPLANE_BENCH = ROOT / "build/release/bench/xplane_bench"
XPLANE_MEGABYTES = 310
RECORDER = Path(__file__).with_name("record_xplane.py")


def rows(jax, profile):
    """`jax`: (its Python, its version) to record a profile with, or None; `profile`: a real one
    that is there already, or None."""
    return bench_synthetic() + [bench_real(jax, profile)]


def bench_real(jax, profile):
    """Peak memory of all analyses on a real profile, nothing subtracted."""
    row = Row("xplane_real_peak", "XPlane by JAX: peak / file", None, bar=1.0)
    recorded = DATA / "jax.xplane.pb"
    if profile is None and jax is not None and not recorded.exists():
        record(*jax, recorded)
    if profile is None and not recorded.exists():
        row.how = "not measured; ./dev bench --peers records one, --xplane FILE takes one"
        return row
    profile = profile or recorded
    size = Path(profile).stat().st_size
    answer = json.loads(run([STEPSCOPE, "analyze", profile, "--only", "overview",
                             "--format", "json"], keep_output=True)[1])
    events = answer["run"]["files"][0]["events"]
    ours = take_turns(5, ours=[STEPSCOPE, "analyze", profile])["ours"]
    row.value = ours.peak / size
    row.how = (f"{megabytes(size)} of {events / 1e6:.1f} million events, all analyses: "
               f"{megabytes(ours.peak)} resident, {milliseconds(ours.cpu)} CPU; "
               "5 rounds")
    return row


def record(python, version, recorded):
    """Makes `recorded` with the real JAX."""
    print(f"bench: recording a profile with {version}...", file=sys.stderr)
    folder = DATA / "jax-profile"
    shutil.rmtree(folder, ignore_errors=True)
    run(["env", "CUDA_VISIBLE_DEVICES=", "JAX_PLATFORMS=cpu", python, RECORDER, folder])
    written = list(folder.rglob("*.xplane.pb"))
    if len(written) != 1:
        fail(f"JAX wrote {len(written)} profiles under {folder}, not 1")
    written[0].rename(recorded)
    shutil.rmtree(folder)


def bench_synthetic():
    """Reading a profile of JAX, everything kept, in units of walking over its fields."""
    profile, stamp = DATA / "host.xplane.pb", DATA / "host.xplane.made-from"
    code = b"".join((ROOT / path).read_bytes()
                    for path in ("bench/xplane_bench.cc", "tests/support/sample_xspace.h"))
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
        Row("xplane_one_peak", "XPlane: peak memory / file", one / size, bar=0.5,
            how=f"kernel_breakdown alone: {megabytes(one)}"),
        Row("xplane_all_peak", "XPlane: the same, all analyses", every / size, bar=1.0,
            how=f"{megabytes(every)}"),
        Row("xplane_peak", "XPlane: all events and fields", peak / size,
            bar=0.75, how=f"{megabytes(peak)}, of which columns {megabytes(columns)}: "
            f"{read[0]['bytes_per_event']:.0f} bytes for an event of "
            f"{size / read[0]['events']:.0f} in the file")]
