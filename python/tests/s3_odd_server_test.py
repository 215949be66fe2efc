"""Maps a trace of servers that answer with something else than they were asked for."""
import http.server
import re
import threading
from contextlib import contextmanager

import pytest
from s3_support import data_of, name_of

import stepscope

LIST = "<ListBucketResult>{more}<Contents><Key>job/rank0.json</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>" \
    "<ETag>abc</ETag><Size>{size}</Size></Contents></ListBucketResult>"


class Answers(http.server.BaseHTTPRequestHandler):
    """Those of S3 for one object, but for what the server of this name does: server.odd."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send(404, b"")

    def do_GET(self):
        if "list-type" in self.path:
            more = {"forever": "<NextContinuationToken>x</NextContinuationToken>", "nowhere": ""}.get(self.server.odd)
            more = "" if more is None else f"<IsTruncated>true</IsTruncated>{more}"
            return self.send(200, LIST.format(more=more, size=len(self.server.content)).encode())
        first, last = map(int, re.match(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        return self.send_range(first, last + 1, {"ETag": 'W/"abc"' if self.server.odd == "weak" else '"abc"'})

    def send_range(self, first, end, headers):
        odd, content = self.server.odd, self.server.content
        self.server.asked += 1
        if odd == "silent":
            self.server.done.wait(60)
        if odd == "all":
            return self.send(200, content, **headers)
        if odd == "another":
            first, end = 0, end - first
        part = content[first:end]
        headers["Content-Range"] = f"bytes {first}-{first + len(part) - 1}/{len(content)}"
        return self.send(206, {"less": part[:1000], "more": part + b"x" * 100}.get(odd, part), **headers)

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content-Type": "application/xml", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except ConnectionError:  # who asked has seen enough of it
            self.close_connection = True


@contextmanager
def serving(content, odd):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        server.content, server.odd, server.asked, server.done = content, odd, 0, threading.Event()
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server, {"endpoint_url": f"http://127.0.0.1:{server.server_port}", "key": "any", "secret": "any",
                           "config_kwargs": {"retries": {"max_attempts": 0}, "read_timeout": 1 if odd == "silent" else 60}}
        finally:
            server.done.set()
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def long(tmp_path_factory, operators_writer):
    """A trace of 7 MB: two ranges."""
    path = tmp_path_factory.mktemp("long") / "rank0.json"
    operators_writer(path, 1)
    return path


@pytest.mark.parametrize("odd, said", [("all", "another range"), ("another", "another range"), ("less", "became shorter"),
                                       ("forever", "what follows a page"), ("nowhere", "what follows a page")])
def test_what_was_not_asked_for_is_told_and_not_mapped(long, tmp_path, odd, said):
    with serving(long.read_bytes(), odd) as (_, options), pytest.raises(stepscope.InputError, match=said) as raised:
        stepscope.map_ranks("s3://bucket/job/", tmp_path, storage_options=options)
    assert raised.value.where.startswith("s3://bucket/job") and raised.value.hint
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("odd", ["nothing", "weak", "more"])
def test_what_changes_nothing_is_read(long, tmp_path, odd):
    with serving(long.read_bytes(), odd) as (_, options):
        stepscope.map_ranks("s3://bucket/job/", tmp_path / "there", storage_options=options)
    stepscope.map_ranks(long, tmp_path / "here")
    there = str(data_of(tmp_path / "there" / name_of())).replace("s3://bucket/job/rank0.json", str(long))
    assert there == str(data_of(tmp_path / "here" / name_of()))


def test_a_server_that_does_not_answer_is_not_asked_again_and_again(long, tmp_path, monkeypatch):
    monkeypatch.setattr("stepscope.storage.s3.PATIENCE", 0.5)
    with serving(long.read_bytes(), "silent") as (server, options):
        with pytest.raises(stepscope.InputError, match="did not answer in time"):
            stepscope.map_ranks("s3://bucket/job/", tmp_path, storage_options=options)
        assert server.asked <= 2  # each of the ranges once; s3fs asks 25 times
