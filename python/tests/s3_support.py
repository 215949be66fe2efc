"""A real S3 server (moto) on loopback, for tests of buckets; they are skipped without it."""
import json
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

import stepscope

pytest.importorskip("s3fs", reason="s3fs is not installed: buckets are not tested")
pytest.importorskip("moto.server", reason="moto and flask are not installed: buckets are not tested")


class Server:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"
        self.options = {"endpoint_url": self.url, "key": "testing", "secret": "testing"}

    def control(self, what, **given):
        return json.loads(urllib.request.urlopen(f"{self.url}/_/{what}?{urllib.parse.urlencode(given)}").read())

    def put(self, key, path, **more):
        self.control("put", bucket="bucket", key=key, file=path, **more)

    def requests(self):
        """What was asked since the last time: [method, path, range, bytes]."""
        return self.control("log")

    def open(self, path="bucket/job/"):
        return stepscope.open(f"s3://{path}", progress=False, storage_options=self.options)


@contextmanager
def serving(folder):
    """A server with a bucket, and a file with its port in the folder."""
    ready = folder / "port"
    process = subprocess.Popen([sys.executable, str(Path(__file__).with_name("s3_server.py")), str(ready)])
    try:
        until = time.monotonic() + 60
        while not ready.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        made = Server(ready.read_text())
        urllib.request.urlopen(urllib.request.Request(f"{made.url}/bucket", method="PUT"))
        yield made
    finally:
        process.kill()
        process.wait()


def name_of(shard=(0, 1)):
    return f"shard-{shard[0]:05}-of-{shard[1]:05}.ranks.parquet"


def data_of(file):
    """All rows, but for the trace that each recording was made of."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    rows = parquet.read_table(file).to_pylist()
    for row in rows:
        if row["about"]:
            row["about"] = {key: value for key, value in json.loads(row["about"]).items() if key != "source"}
    return rows


def about(file):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    return {key.decode(): value.decode() for key, value in parquet.read_metadata(file).metadata.items()}
