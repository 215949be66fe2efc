"""The engines that answer questions about a fleet: DuckDB by `stepscope query`, PostgreSQL, ClickHouse.

Each has ask(sql), which returns rows of texts, None where there is no value.
"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
NULL = "\u2400"  # as no label is
ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "0": "\0"}


class Missing(Exception):
    """An engine that is not on this machine."""


class DuckDb:
    """The rows as `stepscope query` sees them: nothing is published."""

    name = "DuckDB"

    def __init__(self, stepscope, ledger):
        self.command = [stepscope, "query", str(ledger)]

    def ask(self, sql):
        done = subprocess.run([*self.command, "-", "--format", "json"], input=sql, capture_output=True, text=True)
        if "queries need DuckDB" in done.stderr:
            raise Missing(done.stderr.splitlines()[0])
        assert done.returncode == 0, done.stderr
        return [[None if cell is None else str(cell) for cell in row.values()] for row in json.loads(done.stdout)]


class Postgres:
    """The server of tests/postgres/real_postgres.sh, by psql."""

    name = "PostgreSQL"

    def __init__(self):
        self.address = os.environ.get("STEPSCOPE_POSTGRES")
        if not self.address or not shutil.which("psql"):
            raise Missing("there is no server: tests/postgres/real_postgres.sh starts one")

    def clear(self):
        self.run("DROP SCHEMA IF EXISTS goodput CASCADE")

    def run(self, sql, *options):
        done = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", *options, self.address],
                              input=sql, capture_output=True, text=True, env={**os.environ, "PGTZ": "UTC"})
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, sql):
        answer = self.run("SET search_path = goodput;\n" + sql, "--csv", "-t", "-P", f"null={NULL}")
        return [[None if cell == NULL else cell for cell in row] for row in csv.reader(io.StringIO(answer))]


class ClickHouse:
    """A server at an address, by HTTP."""

    def __init__(self, name, port, database="goodput", process=None):
        self.name, self.port, self.database, self.process = name, port, database, process
        self.address = f"clickhouse://127.0.0.1:{port}/{database}"

    def clear(self):
        self.run(f"DROP DATABASE IF EXISTS {self.database}")

    def run(self, sql):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/", sql.encode())
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as failed:
            raise AssertionError(failed.read().decode()) from failed

    def ask(self, sql):
        tables = re.compile(r"\b(FROM|JOIN) (jobs|goodput_days|goodput_buckets|disruptions|poisson_limits)\b")
        answer = self.run(tables.sub(rf"\1 {self.database}.\2", sql.rstrip().rstrip(";")))
        return [[_cell(text) for text in line.split("\t")] for line in answer.splitlines()]

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()


def _cell(text):
    if text == "\\N":
        return None
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), text)


def current_clickhouse(folder):
    """The engine of the package chdb behind a shim of its HTTP interface."""
    python = os.environ.get("STEPSCOPE_CHDB_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import chdb"], capture_output=True).returncode:
        raise Missing("there is no chdb (pip install chdb)")
    port = Path(folder) / "port"
    process = subprocess.Popen([python, HERE.parent / "clickhouse/chdb_server.py", Path(folder) / "data", port])
    wait_for(port.exists, process)
    return ClickHouse("ClickHouse (chdb)", int(port.read_text()), process=process)


def debian_clickhouse(folder):
    """Debian's server, of 2018: it proves the protocol."""
    server = shutil.which("clickhouse-server") or "/usr/sbin/clickhouse-server"
    config = Path("/etc/clickhouse-server")
    if not Path(server).exists() or not os.access(config / "config.xml", os.R_OK):
        raise Missing("there is no server (Debian: clickhouse-server)")
    folder, port = Path(folder), 20000 + os.getpid() % 10000
    text = (config / "config.xml").read_text()
    text = text.replace("/var/lib/clickhouse", f"{folder}/data").replace("/var/log/clickhouse-server", f"{folder}")
    text = text.replace("<http_port>8123", f"<http_port>{port}").replace("<tcp_port>9000", f"<tcp_port>{port + 1}")
    text = text.replace("<interserver_http_port>9009", f"<interserver_http_port>{port + 2}")
    text = text.replace("<yandex>", "<yandex>\n<listen_host>127.0.0.1</listen_host>", 1)
    (folder / "config.xml").write_text(text)
    shutil.copy(config / "users.xml", folder / "users.xml")
    process = subprocess.Popen([server, f"--config-file={folder}/config.xml"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    one = ClickHouse("ClickHouse 18.16", port, process=process)

    def answers():
        try:
            return one.run("SELECT 1") == "1\n"
        except OSError:
            return False
    wait_for(answers, process)
    return one


def servers(base):
    """Those that are here, and why others are not."""
    found, missing = [], []
    for name, start in (("PostgreSQL", Postgres),
                        ("current ClickHouse", lambda: current_clickhouse(_made(base / "chdb"))),
                        ("ClickHouse 18.16", lambda: debian_clickhouse(_made(base / "ch18")))):
        try:
            found.append(start())
        except Missing as why:
            missing.append(f"{name}: {why}")
    return found, missing


def _made(folder):
    folder.mkdir()
    return folder


def wait_for(there, process):
    end = time.monotonic() + 60
    while not there():
        assert process.poll() is None and time.monotonic() < end, "the server did not start"
        time.sleep(0.05)


def stop(started):
    for server in started:
        if hasattr(server, "stop"):
            server.stop()


def scratch():
    return tempfile.TemporaryDirectory(prefix="stepscope-fleet-")
