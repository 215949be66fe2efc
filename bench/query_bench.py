"""The rows of `./dev bench` about SQL: a sum over all events, from traces and from the same events as Parquet."""
import json
import os
import subprocess

from measure import DATA, ROOT, STEPSCOPE, Row, megabytes, milliseconds, ranks8, run

BENCH = ROOT / "build/release/bench/query_bench"
SQL = "SELECT name, count(*), sum(duration) FROM events GROUP BY name"


def rows():
    over = Row("query_over_parquet", "CPU of SQL over events of traces / of Parquet", None)
    if not BENCH.exists():
        over.how = "not measured; there is no build/release/bench/query_bench"
        return [over]
    job, parquet = ranks8(), DATA / "ranks8_parquet"
    os.environ.setdefault("STEPSCOPE_DUCKDB", str(ROOT / "build/duckdb/libduckdb.so"))
    if subprocess.run([BENCH, "traces", job, "SELECT 1"], capture_output=True).returncode == 77:
        over.how = "not measured; DuckDB is not there"
        return [over]
    if not parquet.exists():
        run([STEPSCOPE, "export", job, "-o", parquet, "--parquet", "--format", "json"])
    ours, theirs, read = (ask("traces", job, SQL), ask("parquet", parquet, SQL),
                          ask("traces", job, "SELECT count(*) FROM events"))
    over.value = ours["cpu_s"] / theirs["cpu_s"]
    over.how = (f"{SQL}: {milliseconds(ours['cpu_s'])} CPU, {milliseconds(ours['wall_s'])} wall, "
                f"{megabytes(ours['peak_bytes'])}, of which {milliseconds(read['cpu_s'])} reads traces; "
                f"Parquet {milliseconds(theirs['cpu_s'])}, {megabytes(theirs['peak_bytes'])}")
    return [over]


def ask(*words):
    """The cost with the least CPU of three."""
    return min((json.loads(run([BENCH, *words], keep_output=True)[1]) for _ in range(3)),
               key=lambda cost: cost["cpu_s"])
