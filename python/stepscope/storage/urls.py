"""Reads URLs through fsspec: lists directories, and reads files by ranges."""
from __future__ import annotations

import hashlib
import os
import re
import threading
from datetime import datetime
from typing import Any, Mapping

from ..errors import InputError, MissingLibrary, QuestionError
from ..frames import imported
from .answers import Told, failure, without_credentials
from .objects import Kept, read_fully
from .s3 import plain, watch

_LIBRARIES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "abfss": "adlfs",
              "http": "aiohttp", "https": "aiohttp", "hdfs": "pyarrow", "sftp": "paramiko", "ssh": "paramiko",
              "smb": "smbprotocol", "hf": "huggingface_hub", "oci": "ocifs", "oss": "ossfs"}
# Their files are inflated: to go back is to begin again.
_ARCHIVES = {"zip", "libarchive", "tar"}
# By which a file is known to be another one.
_VERSIONS = ("ETag", "etag", "md5Hash", "generation", "content_md5", "mtime", "LastModified", "updated", "created", "size")


class Urls:
    """What one URL, or a glob of URLs, leads to. Names are URLs without credentials."""

    def __init__(self, fs: Any, paths: dict[str, str]) -> None:
        self._fs = fs
        self._paths = paths
        self.names = list(paths)
        self._infos: dict[str, Any] = {}
        self._files: dict[str, _File] = {}
        self._lock = threading.Lock()
        protocols = [fs.protocol] if isinstance(fs.protocol, str) else fs.protocol
        self._in_order = not _ARCHIVES.isdisjoint(protocols)

    @staticmethod
    def of(url: str, options: Mapping[str, Any]) -> Urls:
        """Raises MissingLibrary, InputError for a glob that matches nothing, QuestionError for an unknown protocol."""
        shown = without_credentials(url).rstrip("/")
        fs, path = _file_system(url, shown, options)
        magic = "*[" if shown.startswith("http") else "*?["
        if not any(c in path for c in magic):
            return Urls(fs, {shown: path})
        matches = _globbed(fs, path, shown)
        found = Urls(fs, {_name_of(shown, path, match): match for match in sorted(matches)})
        found._infos = {name: matches[match] for name, match in found._paths.items()}
        return found

    def find(self, name: str) -> Any:
        info = self._infos.get(name)
        if info is None or info.get("size") is None and info["type"] == "file":
            info = self._info(name)
        with self._lock:
            if name in self._files and _changed(self._files[name].info, info):
                del self._files[name]  # who reads it now reads on from the old one
        return self._item(name, info)

    def list(self, name: str) -> Any:
        folder = self._path(name)
        self._fs.invalidate_cache(folder)
        items = []
        for info in self._fs.ls(folder, detail=True):
            inner = info["name"].rstrip("/")
            if not inner or inner == folder.rstrip("/"):
                continue
            child = f"{name}/{without_credentials(inner).rpartition('/')[2]}"
            self._paths[child], self._infos[child] = info["name"], info
            items.append(self._item(child, info))
        return items

    def read(self, name: str, offset: int, size: int) -> bytes:
        file = self._opened(name)
        try:
            got = file.read(offset, size)
        except ValueError as error:
            if "range requests" not in str(error):
                raise
            return self._streamed(name).read(offset, size)
        if file.size is not None and file.size <= offset + size and not file.checks_itself:
            self._check_unchanged(name, file)
        return got

    def _path(self, name: str) -> str:
        above, _, last = name.rpartition("/")
        return self._paths[name] if name in self._paths else f"{self._path(above).rstrip('/')}/{last}"

    def _info(self, name: str) -> Any:
        path = self._path(name)
        self._fs.invalidate_cache(path)
        watch(self._fs, path.partition("/")[0])
        try:
            info = self._fs.info(path)
        except (FileNotFoundError, NotADirectoryError) as error:
            _check_bucket(error)
            return {"type": "none"}
        if info["type"] == "file" and path.endswith("/") and self._fs.isdir(path):
            info = {"type": "directory"}
        self._infos[name] = info
        return info

    def _item(self, name: str, info: Any) -> Any:
        kind = {"file": "file", "directory": "folder"}.get(info["type"], "none")
        size = info.get("size")
        ranges = isinstance(size, int) and info.get("partial", True) is not False and not self._in_order
        return os.fsencode(name), kind, size if ranges else -1, _written(info), _version(info), ranges

    def _opened(self, name: str) -> Any:
        with self._lock:
            if name not in self._files:
                info = self._infos.get(name, {})
                file = _open(self._fs, self._path(name))
                if not _same(info, getattr(file, "_details", None)):
                    raise Told("the file was changed since it was listed", "run it again when it is no longer written")
                self._files[name] = _File(file, info)
            return self._files[name]

    def _streamed(self, name: str) -> Any:
        """A file of a server that gives only all of it: kept in memory as it comes."""
        with self._lock:
            before = self._files[name]
            if before.size is not None:
                self._files[name] = _File(self._fs.open(self._path(name), "rb", block_size=0), before.info)
            return self._files[name]

    def _check_unchanged(self, name: str, file: _File) -> None:
        path = self._path(name)
        self._fs.invalidate_cache(path)
        if _changed(file.info, self._fs.info(path)):
            raise Told("the file was changed while it was read", "open the run again when it is no longer written")


class _File:
    """An open file of fsspec, from which several threads read ranges."""

    def __init__(self, file: Any, info: Any) -> None:
        from fsspec.caching import BaseCache
        from fsspec.spec import AbstractBufferedFile

        buffered = isinstance(file, AbstractBufferedFile)
        # Without a cache a range is one request, which shares nothing with others.
        self.size = file.size if buffered and type(file.cache) is BaseCache else None
        self.info = info
        self._file = file if self.size is not None or _can_seek(file) else Kept(file)
        self._lock = threading.Lock()
        self.checks_itself = "IfMatch" in getattr(file, "read_kw", {}) and watch(file.fs, file.bucket)

    def read(self, offset: int, size: int) -> bytes:
        if self.size is not None:
            end = min(offset + size, self.size)
            return self._file._fetch_range(offset, end)[:end - offset] if offset < end else b""
        with self._lock:
            self._file.seek(offset)
            return read_fully(self._file, size)


def _open(fs: Any, path: str) -> Any:
    try:
        return fs.open(path, "rb", cache_type="none")
    except TypeError:  # not every file system has caches to choose from
        return fs.open(path, "rb")


def _can_seek(file: Any) -> bool:
    return type(file).__name__ != "HTTPStreamFile" and file.seekable()


def _file_system(url: str, shown: str, options: Mapping[str, Any]) -> Any:
    scheme = re.split(r"://|::", url)[0]
    last = re.findall(r"([A-Za-z][\w+.-]*)://", url)[-1:] or [scheme]
    library = _LIBRARIES.get(last[0], "")
    fsspec = imported("fsspec", f"reading {shown}", f"fsspec {library}".strip())
    try:
        return fsspec.core.url_to_fs(url, **options)
    except ImportError as error:
        raise MissingLibrary(f"reading {shown} needs a library that is not installed ({without_credentials(str(error))})", "",
                             f"pip install {library or 'what the message names'}") from error
    except ValueError as error:
        raise QuestionError(f"cannot read this kind of URL: {without_credentials(str(error))}", shown,
                            "give a path, or a URL of a protocol that fsspec knows") from error
    except (TypeError, OSError) as error:
        raise QuestionError(f"cannot use the URL: {without_credentials(str(error))}", shown,
                            "check `storage_options`") from error


def _globbed(fs: Any, path: str, shown: str) -> Any:
    try:
        fs.invalidate_cache()
        watch(fs, path.partition("/")[0])
        matches = fs.glob(path, detail=True) or _named(fs, path)
    except Exception as error:  # noqa: BLE001: of whatever library it is
        raise InputError(*failure(error, shown)) from error
    if not matches:
        raise InputError(f"no file matches {shown!r}", shown, "check the pattern, or give a directory")
    return matches


def _named(fs: Any, path: str) -> dict[str, Any]:
    """The file of this very name, which has what elsewhere is a pattern in it."""
    try:
        return {path: fs.info(path)}
    except FileNotFoundError as error:
        _check_bucket(error)
        return {}


def _check_bucket(error: Exception) -> None:
    """That nothing is there may be a bucket's fault, of which file systems of fsspec say no more than that."""
    if re.search(r"bucket.*not exist", str(error), re.IGNORECASE):
        raise Told("there is no such bucket", "check its name, and the endpoint or region") from error


def _same(listed: Any, opened: Any) -> bool:
    """Whether a file is the one that was listed, as far as both say it."""
    if not listed or not isinstance(opened, Mapping):
        return True
    return all(plain(listed[key]) == plain(opened[key]) for key in ("ETag", "size", "generation")
               if key in listed and key in opened)


def _changed(before: Any, now: Any) -> bool:
    """Whether a file is another one than before. Where there is an ETag, times do not count: some answers have no more than
    seconds of them."""
    if before.get("ETag") and now.get("ETag"):
        return not _same(before, now)
    return _version(before) != _version(now)


def _name_of(shown: str, pattern: str, match: str) -> str:
    """The URL of a match: what stands before the pattern in the URL, then the match."""
    first, chain, rest = shown.partition("::")
    if not chain or shown.endswith(pattern):
        head = shown[:len(shown) - len(pattern)] if shown.endswith(pattern) else first.partition("://")[0] + "://"
        return without_credentials(head + match)
    return f"{rest}!/{match.lstrip('/')}"  # in an archive


def _written(info: Any) -> int:
    when = next((info[key] for key in ("LastModified", "mtime", "updated", "last_modified", "created") if info.get(key)), 0)
    if isinstance(when, str):
        try:
            when = datetime.fromisoformat(when.replace("Z", "+00:00"))
        except ValueError:
            return 0
    return int((when.timestamp() if isinstance(when, datetime) else when) * 1_000_000_000)


def _version(info: Any) -> int:
    known = repr([(key, str(info[key])) for key in _VERSIONS if key in info])
    return int.from_bytes(hashlib.blake2b(known.encode(), digest_size=8).digest(), "little")
