"""The rows of `./dev bench` about partials: what condensing the traces of a rank costs, and reading the partials of all."""
import shutil

from measure import (DATA, STEPSCOPE, Row, demo, megabytes, milliseconds, raw_bytes, ranks8, run, take_turns,
                     traces)

RANKS = 1024


def rows():
    return [map_row(), reduce_row()]


def condense(job, partials, *options):
    return [STEPSCOPE, "map", job, "--shard", "0/1", "-o", partials, "--format", "json", *options]


def map_row():
    """Against inflating the same files, which no reader can do without."""
    job, partials = ranks8(), DATA / "ranks8_partials"
    files = traces(job)
    again = ["sh", "-c", 'rm -rf "$1"; shift; exec "$@"', "sh", partials, *condense(job, partials, "--threads", "1")]
    cost = take_turns(3, ours=again, floor=["igzip", "-dc", *files])
    ours, floor, raw = cost["ours"], cost["floor"], raw_bytes(files)
    return Row("map_over_igzip", "CPU of map / of igzip -dc", ours.cpu / floor.cpu,
               how=f"{megabytes(raw)} of JSON in {milliseconds(ours.cpu)}: {raw / ours.cpu / 1e6:.0f} MB/s per processor, "
                   f"peak {megabytes(ours.peak)}")


def reduce_row():
    """Against the traces of the same ranks, for the same analyses."""
    job, partials = demo("ranks1024_light", "--ranks", str(RANKS), "--light", "--steps", "3"), DATA / "ranks1024_partials"
    shutil.rmtree(partials, ignore_errors=True)
    run(condense(job, partials))
    only = ["--only", "temporal_breakdown,collectives,imbalance", "--format", "json"]
    cost = take_turns(3, reduce=[STEPSCOPE, "reduce", partials, *only], analyze=[STEPSCOPE, "analyze", job, *only])
    ours, theirs = cost["reduce"], cost["analyze"]
    size = sum(file.stat().st_size for file in partials.iterdir())
    return Row("reduce_over_analyze", "CPU of reduce / of analyze", ours.cpu / theirs.cpu,
               how=f"{RANKS} ranks, {size / RANKS / 1e3:.1f} KB each: {ours.cpu / RANKS * 1e6:.0f} µs of CPU per rank, "
                   f"{milliseconds(ours.wall)} wall, {megabytes(ours.peak)}; analyze {milliseconds(theirs.wall)}, "
                   f"{megabytes(theirs.peak)}")
