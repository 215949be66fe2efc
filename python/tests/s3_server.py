"""Runs moto's S3 server on loopback, and tells what it was asked. A program: s3_server.py PORT_FILE

Beside S3 it answers /_/log, the requests so far as [method, path, range, bytes], and takes /_/set?latency=S and
/_/set?fail=PART&status=N&code=CODE&after=K&times=M: of requests for a range of a path with PART, those after the first K
fail, M of them or all; without status, the connection ends in the middle of the answer. With any=1, those without a
range, too. /_/put?bucket=B&key=K&file=PATH stores a file without sending it, or deletes it where there is no file; with
after=K, before the next but K range of it is sent; with copies=N, under N keys, of which "#" is the number. /_/locked asks for valid signatures until /_/locked?off=1, and returns the
keys of one who may do anything and of one who may do nothing.
"""
import json
import os
import sys
import time
from urllib.parse import parse_qs

from moto import settings
from moto.core.responses import ActionAuthenticatorMixin
from moto.iam.models import iam_backends
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


def storing(bucket, key, file=None, copies=0):
    """What stores a file under a key, or under so many; without a file, what deletes it."""
    backend = s3_backends["123456789012"]["aws"]
    if file is None:
        return lambda: backend.delete_object(bucket, key)
    with open(file, "rb") as opened:
        content = opened.read()
    names = [key.replace("#", str(number)) for number in range(copies)] if copies else [key]
    return lambda: [backend.put_object(bucket, name, content) for name in names]


def cut(body):
    """Half of it; the server ends the connection for what is raised."""
    yield body[:len(body) // 2]
    raise ConnectionAbortedError("the test ends this connection")


def locked(off):
    """Whoever asks from now on needs the key of a user of IAM: of the first, who may do anything, or the second: nothing."""
    settings.INITIAL_NO_AUTH_ACTION_COUNT = float("inf") if off else 0
    ActionAuthenticatorMixin.request_count = 0
    iam = iam_backends["123456789012"]["aws"]
    everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    keys = []
    for user in [] if off else ["any", "none"]:
        iam.create_user("aws", user)
        key = iam.create_access_key(user)
        keys.append({"key": key.access_key_id, "secret": key.secret_access_key})
    if keys:
        iam.put_user_policy("any", "everything", json.dumps(everything))
    return keys


class Watched:
    def __init__(self, app):
        self.app = app
        self.log = []
        self.latency = 0.0
        self.fail, self.status, self.code, self.any, self.left, self.times = "", 503, "Failed", False, 0, 0
        self.waiting = {}  # what is to be stored: path -> [ranges until then, what stores it]

    def __call__(self, environ, start):
        if environ["PATH_INFO"].startswith("/_/"):
            return self.control(environ, start)
        time.sleep(self.latency)
        path, asked = environ["PATH_INFO"], environ.get("HTTP_RANGE", "")
        self.store_waiting(path, asked)
        fails = self.fails(path, asked)
        if fails and self.status:
            self.log.append([environ["REQUEST_METHOD"], path, asked, 0])
            return self.failed(environ, start)
        body = b"".join(self.app(environ, start))
        self.log.append([environ["REQUEST_METHOD"], path, asked, len(body)])
        return cut(body) if fails else [body]

    def fails(self, path, asked):
        if not self.fail or self.fail not in path or not (asked or self.any):
            return False
        self.left -= 1
        return -self.times <= self.left < 0

    def failed(self, environ, start):
        body = f"<Error><Code>{self.code}</Code><Message>{self.code}, says the test</Message></Error>".encode()
        body = b"" if environ["REQUEST_METHOD"] == "HEAD" else body
        start(f"{self.status} Failed", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]

    def store_waiting(self, path, asked):
        if path in self.waiting and asked:
            self.waiting[path][0] -= 1
            if self.waiting[path][0] < 0:
                self.waiting.pop(path)[1]()

    def control(self, environ, start):
        given = {key: values[0] for key, values in parse_qs(environ["QUERY_STRING"]).items()}
        answer = b"[]"
        if environ["PATH_INFO"] == "/_/set":
            self.latency = float(given.get("latency", self.latency))
            self.fail, self.code, self.any = given.get("fail", ""), given.get("code", "Failed"), "any" in given
            self.status, self.left = int(given.get("status", 0)), int(given.get("after", 0))
            self.times = int(given.get("times", 1 << 30))
        if environ["PATH_INFO"] == "/_/put":
            store = storing(given["bucket"], given["key"], given.get("file"), int(given.get("copies", 0)))
            if "after" in given:
                self.waiting[f"/{given['bucket']}/{given['key']}"] = [int(given["after"]), store]
            else:
                store()
        if environ["PATH_INFO"] == "/_/locked":
            answer = json.dumps(locked("off" in given)).encode()
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
