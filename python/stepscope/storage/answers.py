"""Answers requests of the core on threads, and says of what goes wrong what a user can do."""
from __future__ import annotations

import queue
import re
import threading
import weakref
from typing import Any

MOST_THREADS = 32
"""Requests under way at once; each file that is read has up to two."""

# What find() and list() tell of one thing is a tuple: name (bytes), kind ("file", "folder", "none"), bytes (-1: not known),
# written (ns), version, and whether any place of it can be read at any time.


class Threads:
    """Threads that answer requests, as many as are needed at once.

    They are daemons: a request that hangs keeps no process from ending. They end with their storage.
    """

    def __init__(self, storage: Any) -> None:
        self._storage = weakref.ref(storage)
        self._state = _State()
        weakref.finalize(storage, self._state.end)

    def put(self, request: Any) -> None:
        self._state.put((self._storage(), request))


class _State:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: Any = queue.SimpleQueue()
        self._idle = self._started = 0

    def put(self, job: Any) -> None:
        with self._lock:
            start = self._idle == 0 and self._started < MOST_THREADS
            if start:
                self._started += 1
            elif self._idle:
                self._idle -= 1
        self._jobs.put(job)
        if start:
            threading.Thread(target=self._work, name="stepscope-storage", daemon=True).start()

    def end(self) -> None:
        for _ in range(self._started):
            self._jobs.put(None)

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            storage, request = job
            storage.answer(request)
            del job, storage, request  # else they live until the next one
            with self._lock:
                self._idle += 1


def failure(error: BaseException, name: str, advice: str = "") -> tuple[str, str, str]:
    """What failed, where, and what to try, for the core. Credentials that a message quotes are left out.

    advice: what to try where the kind of place says more than the error does.
    """
    said = without_credentials(" ".join(str(error).split()))[:300]
    if any(word in said for word in _THROTTLED):
        return f"cannot read the file: the server asks for fewer requests ({said})", name, \
            "run fewer shards at once, or try again later"
    if isinstance(error, Told):
        return error.args[0], name, error.args[1]
    if isinstance(error, FileNotFoundError):
        return "there is no such file any more", name, "open the run again"
    if advice:
        return f"cannot read the file: {said or type(error).__name__}", name, advice.format(error=type(error).__name__)
    if isinstance(error, PermissionError):
        return f"cannot read the file: access is denied ({said})", name, \
            "check the credentials of the environment (or `storage_options`), and their rights to list and read"
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return f"cannot read the file: the server did not answer in time ({said or type(error).__name__})", name, \
            "try again, or raise the timeouts (`storage_options`)"
    if "expired" in type(error).__name__.lower():
        return "the file was changed while it was read", name, "open the run again when it is no longer written"
    if isinstance(error, (TypeError, ValueError)):
        return f"cannot read the file: {said}", name, "check the URL, and `storage_options` if there are any"
    if "Credentials" in type(error).__name__ or "Profile" in type(error).__name__:
        return f"cannot read the file: {said}", name, "set credentials in the environment, or name them (`storage_options`)"
    if "CERTIFICATE_VERIFY_FAILED" in said:
        return f"cannot read the file: {said}", name, "name the certificates to trust (AWS_CA_BUNDLE), and check the endpoint"
    if _REFUSED.search(said):
        return f"cannot read the file: the server refuses the request ({said})", name, \
            "check the credentials, region and endpoint of the environment (or `storage_options`)"
    return f"cannot read the file: {said or type(error).__name__}", name, "check the connection, and try again"


# What servers say that throttle: S3 and others like it, HTTP.
_THROTTLED = ("SlowDown", "reduce your request rate", "TooManyRequests", "Too Many Requests", "429,")


# What s3fs makes of answers with a code that it does not know, but for faults of a server.
_REFUSED = re.compile(r"Bad Request|An error occurred \((?!5)")


class Told(Exception):
    """A failure in words for users: what, and what to try."""


def without_credentials(text: str) -> str:
    """Without "user:password@" and the query of URLs, which may be a signature."""
    text = re.sub(r"(?<=://)[^/@\s]*:[^/@\s]*@", "", text)
    return re.sub(r"(\w+)(://[^\s?'\"]*)\?[^\s'\")]*", _without_query, text)


def _without_query(url: re.Match[str]) -> str:
    """Names of objects, and patterns, have "?" in them."""
    return url[0] if url[1] in ("s3", "s3a", "gs", "gcs") else url[1] + url[2]
