#!/usr/bin/env python3
"""Measures the questions of deploy/fleet on 10,000 jobs of 30 days, on every engine that is here.

    fleet_bench.py STEPSCOPE [JOBS]    prints a line of JSON per engine

Rows are generated, the same each time: as a job that records a step each minute rolls up to. The tables are those
that `goodput publish` makes. DuckDB reads them as Parquet, as `stepscope query LEDGER 'FROM ...' -o` writes them.
"""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/fleet"))
import engines  # noqa: E402
import jobs as small  # noqa: E402

NS, DAY, FIRST = 10**9, 86400, 20574  # 2026-05-01, in days since 1970
BUCKETS = [("PRODUCTIVE", 0, 0.82), ("UNPRODUCTIVE_CHECKPOINT_SAVE_TIME", 1, 0.03), ("DATA_LOADING_SYNC", 1, 0.01),
           ("TPU_INITIALIZATION", 1, 0.01), ("TRAINING_PREP", 1, 0.02), ("PROGRAM_STARTUP", 1, 0.02),
           ("WASTED_PROGRESS_FROM_DISRUPTION", 1, 0.05), ("INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION", 1, 0.04)]
CAUSES = ["killed without a word", "exception RuntimeError", "announced", "hung", "unannounced"]
TABLES = ("jobs", "goodput_days", "goodput_buckets", "disruptions")


class Fleet:
    """Rows by table, as dictionaries without what is unknown."""

    def __init__(self, count, days):
        self.count, self.days, self.state = count, days, 20261130

    def chance(self, below):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % below

    def rows(self):
        for j in range(self.count):
            yield from self.job(j)

    def job(self, j):
        nodes = 2 ** (j % 8)
        own = {"ledger": "/ledger", "job": f"team-{j % 40}/job-{j}", "team": f"team-{j % 40}", "queue": "gpu",
               "username": f"user-{j % 300}", "cluster": f"cluster-{j % 4}", "chip": ["H100", "B200", "MI300X"][j % 3],
               "chips": float(8 * nodes), "nodes": nodes}
        sums = dict.fromkeys([bucket for bucket, *_ in BUCKETS], 0)
        ends = []
        for day in range(FIRST, FIRST + self.days):
            date = {"day": day, "week": week_of(day)}
            times = self.times()
            for bucket, lost, _ in BUCKETS:
                sums[bucket] += times[bucket]
                yield "goodput_buckets", {**own, **date, "bucket": bucket, "lost": lost, "ns": times[bucket],
                                          "chip_hours": own["chips"] * times[bucket] / 3.6e12}
            yield "goodput_days", {**own, **date, **totals(times, own["chips"])}
            if self.chance(200) < nodes:
                ends.append(day)
                yield "disruptions", {**own, **date, **self.disruption(day, len(ends))}
        end = (FIRST + self.days) * DAY * NS
        yield "jobs", {**own, "day": FIRST + self.days - 1, "started": FIRST * DAY * NS, "ended": end - 1,
                       "state": "ended", "events": 45_000, "attempts": len(ends) + 1, "disruptions": len(ends),
                       "steps": 43_200, "goodput": sums["PRODUCTIVE"] / sum(sums.values()),
                       "running_ns": sum(sums.values()), "labels": "{}", **totals(sums, own["chips"])}

    def times(self):
        times, left = {}, DAY * NS
        for bucket, _, share in reversed(BUCKETS[1:]):
            times[bucket] = int(DAY * NS * share * self.chance(200) / 100)
            left -= times[bucket]
        return {**times, "PRODUCTIVE": left}

    def disruption(self, day, attempt):
        parts = {part: self.chance(1800) * NS for part in ("down_ns", "start_ns", "restore_ns", "startup_ns",
                                                           "recompute_ns")}
        return {"happened": (day * DAY + self.chance(DAY)) * NS, "attempt": attempt, "cause": CAUSES[self.chance(5)],
                "node": f"node-{self.chance(2000)}", "announced": 0, "cost_ns": sum(parts.values()), "hung_ns": 0,
                **parts}


def totals(times, chips):
    counted, productive = sum(times.values()), times["PRODUCTIVE"]
    hours = chips / 3.6e12
    return {"counted_ns": counted, "productive_ns": productive, "lost_ns": counted - productive, "mfu": 0.41,
            "chip_hours": counted * hours, "productive_chip_hours": productive * hours,
            "lost_chip_hours": (counted - productive) * hours, "wanted_ns": counted, "all_up_ns": counted,
            "unhealthy_ns": 0, "partial_ns": 0, "waiting_ns": 0, "paused_ns": 0}


def date_of(day):
    return time.strftime("%Y-%m-%d", time.gmtime(day * DAY))


def week_of(day):
    return time.strftime("%G-W%V", time.gmtime(day * DAY))


def write_rows(folder, columns, count):
    files = {table: open(folder / f"{table}.tsv", "w", encoding="utf-8") for table in TABLES}
    rows = dict.fromkeys(TABLES, 0)
    for table, row in Fleet(count, 30).rows():
        cells = (date_of(row[c]) if c == "day" else row.get(c, "\\N") for c in columns[table])
        files[table].write("\t".join(map(str, cells)) + "\n")
        rows[table] += 1
    for file in files.values():
        file.close()
    return rows


def load_postgres(server, folder):
    for table in TABLES:
        server.run(f"TRUNCATE goodput.{table};\n\\copy goodput.{table} FROM '{folder}/{table}.tsv'\n")
    server.run("ANALYZE")


def load_clickhouse(server, folder, columns):
    jobs = {line.split("\t")[1] for line in open(folder / "jobs.tsv", encoding="utf-8")}
    server.run(f"TRUNCATE TABLE {server.database}.published")
    stamps = "".join(f"/ledger\t{job}\t1\ts\t0\t0\n" for job in sorted(jobs))
    server.run(f"INSERT INTO {server.database}.published FORMAT TabSeparated\n{stamps}")
    for table in TABLES:
        server.run(f"TRUNCATE TABLE {server.database}.{table}_rows")
        names = ", ".join(columns[table])
        lines = open(folder / f"{table}.tsv", encoding="utf-8").readlines()
        for at in range(0, len(lines), 100_000):
            part = "".join(line[:-1] + "\t1\n" for line in lines[at:at + 100_000])
            server.run(f"INSERT INTO {server.database}.{table}_rows ({names}, version) FORMAT TabSeparated\n{part}")


class Parquet:
    name = "DuckDB (Parquet)"

    def __init__(self):
        try:
            import duckdb
        except ImportError as missing:
            raise engines.Missing("there is no Python package duckdb") from missing
        self.database = duckdb.connect()

    def load(self, folder, columns, limits):
        for table in TABLES:
            types = {c: duck_type(c) for c in columns[table]}
            file = f"{folder}/{table}.parquet"
            self.database.execute(f"COPY (SELECT * FROM read_csv('{folder}/{table}.tsv', delim='\t', header=false, "
                                  f"nullstr='\\N', quote='', columns={types})) TO '{file}' (COMPRESSION zstd)")
            self.database.execute(f"CREATE VIEW {table} AS FROM '{file}'")
        self.database.execute("CREATE TABLE poisson_limits (events BIGINT, low DOUBLE, high DOUBLE)")
        self.database.executemany("INSERT INTO poisson_limits VALUES (?, ?, ?)", limits)
        return sum((folder / f"{table}.parquet").stat().st_size for table in TABLES)

    def ask(self, sql):
        return self.database.execute(sql).fetchall()


def duck_type(column):
    texts = ("ledger", "job", "team", "username", "project", "queue", "cluster", "chip", "week", "bucket", "state",
             "labels", "cause", "words", "node")
    reals = ("chips", "goodput", "mfu", "model_flops", "peak_flops")
    if column == "day":
        return "DATE"
    if column in texts:
        return "VARCHAR"
    return "DOUBLE" if column in reals or column.endswith("chip_hours") else "BIGINT"


def timed(work):
    begin = time.perf_counter()
    answer = work()
    return (time.perf_counter() - begin) * 1e3, answer


def ask_all(engine):
    """The fastest of three times of each question, ms."""
    least = {}
    for question in sorted((ROOT / "deploy/fleet/questions").glob("*.sql")):
        sql = question.read_text(encoding="utf-8")
        least[question.stem] = min(timed(lambda text=sql: engine.ask(text))[0] for _ in range(3))
    return least


def bytes_of(engine):
    if engine.name == "PostgreSQL":
        sizes = engine.run("SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n "
                           "ON n.oid = relnamespace WHERE nspname = 'goodput' AND relkind IN ('r')", "-t", "-A")
    else:
        sizes = engine.run(f"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = "
                           f"'{engine.database}'")
    return int(sizes)


def drop_month(engine):
    if engine.name == "PostgreSQL":
        return engine.run("".join(f"DROP TABLE goodput.{table}_2026_05;" for table in TABLES if table != "jobs"))
    return [engine.run(f"ALTER TABLE {engine.database}.{table}_rows DROP PARTITION 202605")
            for table in TABLES if table != "jobs"]


def measure(stepscope, count):
    """Per engine: its name, seconds to load, bytes, ms per question and to drop a month; or why it is not measured."""
    with engines.scratch() as name:
        folder = Path(name)
        small.write_events(folder / "events.jsonl")
        ledger = folder / "ledger"
        subprocess.run([stepscope, "goodput", "import", folder / "events.jsonl", "--store", ledger], check=True,
                       stdout=subprocess.DEVNULL)
        local = engines.DuckDb(stepscope, ledger)
        columns = {table: [row[0] for row in local.ask(f"SELECT column_name FROM (DESCRIBE {table})")]
                   for table in TABLES}
        limits = [tuple(map(float, row)) for row in local.ask("FROM poisson_limits")]
        yield {"rows": write_rows(folder, columns, count)}
        for start in (Parquet, engines.Postgres, lambda: engines.current_clickhouse(folder)):
            try:
                engine = start()
            except engines.Missing as why:
                yield {"missing": str(why)}
                continue
            yield measure_one(engine, stepscope, ledger, folder, columns, limits)
            if hasattr(engine, "stop"):
                engine.stop()


def measure_one(engine, stepscope, ledger, folder, columns, limits):
    if engine.name == Parquet.name:
        ms, size = timed(lambda: engine.load(folder, columns, limits))
        return {"engine": engine.name, "load_s": ms / 1e3, "bytes": size, "ms": ask_all(engine)}
    engine.clear()
    subprocess.run([stepscope, "goodput", "publish", "--store", ledger, "--to", engine.address], check=True,
                   stdout=subprocess.DEVNULL)
    ms = timed(lambda: load_postgres(engine, folder) if engine.name == "PostgreSQL"
               else load_clickhouse(engine, folder, columns))[0]
    measured = {"engine": engine.name, "load_s": ms / 1e3, "bytes": bytes_of(engine), "ms": ask_all(engine)}
    return {**measured, "drop_ms": timed(lambda: drop_month(engine))[0]}


def rows():
    """The lines of `./dev bench`."""
    from measure import STEPSCOPE, Row, megabytes  # pylint: disable=import-outside-toplevel
    os.environ.setdefault("STEPSCOPE_DUCKDB", str(ROOT / "build/duckdb/libduckdb.so"))
    lines = []
    try:
        for one in measure(str(STEPSCOPE), 10_000):
            if "engine" not in one:
                continue
            slowest = max(one["ms"], key=one["ms"].get)
            lines.append(Row(f"fleet_{one['engine']}", f"fleet questions, {one['engine']}", one["ms"][slowest] / 1e3,
                             "s", bar=2, how=f"slowest, {slowest}, of {len(one['ms'])}; 10,000 jobs x 30 days, "
                                             f"{megabytes(one['bytes'])}, loaded in {one['load_s']:.1f} s"))
    except engines.Missing as why:
        return [Row("fleet", "fleet questions", None, how=f"not measured; {why}")]
    return lines


def main():
    stepscope, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    for one in measure(stepscope, count):
        print(json.dumps(one), flush=True)


if __name__ == "__main__":
    main()
