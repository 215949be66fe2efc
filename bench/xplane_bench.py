"""The rows of `./dev bench` about profiles of JAX: the speed of reading one, and its memory."""
import hashlib
import json
import statistics

from measure import DATA, INGEST_BENCH, ROOT, STEPSCOPE, Row, megabytes, milliseconds, run

XPLANE_BENCH = ROOT / "build/release/bench/xplane_bench"
XPLANE_MEGABYTES = 310


def rows():
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
        Row("xplane_one_peak", "XPlane: peak memory less 64 MB / file", (one - 64e6) / size, bar=0.5,
            how=f"kernel_breakdown alone: {megabytes(one)}"),
        Row("xplane_all_peak", "XPlane: the same, all analyses", (every - 64e6) / size, bar=0.5,
            how=f"{megabytes(every)}"),
        Row("xplane_peak", "XPlane: the same, read with every event and field",
            (peak - 64e6) / size, bar=0.5,
            how=f"{megabytes(peak)}, of which columns {megabytes(columns)}: "
                f"{read[0]['bytes_per_event']:.0f} bytes for an event of "
                f"{size / read[0]['events']:.0f} in the file")]
