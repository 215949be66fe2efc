"""Runs moto's S3 server on loopback, and tells what it was asked. A program: s3_server.py PORT_FILE

Beside S3 it answers /_/log, the requests so far as [method, path, range, bytes], and takes /_/set?latency=S and
/_/set?fail=PART&status=N&after=K: of requests for a range of a path with PART, those after the first K fail.
/_/put?bucket=B&key=K&file=PATH stores a file without sending it.
"""
import json
import os
import sys
import time
from urllib.parse import parse_qs

from moto.s3.models import FakeKey, s3_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server


def read_once():
    """moto reads and copies all of an object for each range of it: here it does so once."""
    value = FakeKey.value

    def held(key):
        if key.__dict__.get("held_of") != (key.etag, key.contentsize):
            key.__dict__["held"], key.__dict__["held_of"] = value.fget(key), (key.etag, key.contentsize)
        return key.__dict__["held"]

    FakeKey.value = property(held, value.fset)


class Watched:
    def __init__(self, app):
        self.app = app
        self.log = []
        self.latency = 0.0
        self.fail, self.status, self.left = "", 503, 0

    def __call__(self, environ, start):
        if environ["PATH_INFO"].startswith("/_/"):
            return self.control(environ, start)
        time.sleep(self.latency)
        path, asked = environ["PATH_INFO"], environ.get("HTTP_RANGE", "")
        if self.fail and self.fail in path and asked:
            self.left -= 1
            if self.left < 0:
                self.log.append([environ["REQUEST_METHOD"], path, asked, 0])
                start(f"{self.status} Failed", [("Content-Length", "0")])
                return [b""]
        body = b"".join(self.app(environ, start))
        self.log.append([environ["REQUEST_METHOD"], path, asked, len(body)])
        return [body]

    def control(self, environ, start):
        given = {key: values[0] for key, values in parse_qs(environ["QUERY_STRING"]).items()}
        if environ["PATH_INFO"] == "/_/set":
            self.latency = float(given.get("latency", self.latency))
            self.fail = given.get("fail", "")
            self.status, self.left = int(given.get("status", 503)), int(given.get("after", 0))
        if environ["PATH_INFO"] == "/_/put":
            with open(given["file"], "rb") as file:
                s3_backends["123456789012"]["aws"].put_object(given["bucket"], given["key"], file.read())
        answer = b"[]"
        if environ["PATH_INFO"] == "/_/log":
            answer = json.dumps(self.log).encode()
            self.log.clear()
        start("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(answer)))])
        return [answer]


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


if __name__ == "__main__":
    read_once()
    server = make_server("127.0.0.1", 0, Watched(DomainDispatcherApplication(create_backend_app)), threaded=True,
                         request_handler=Quiet)
    with open(sys.argv[1] + ".new", "w") as out:
        out.write(str(server.port))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()
