"""What s3fs leaves to servers that speak S3, and not all of them do: to answer with the range, version and page asked for.

S3 compares the version for which a range is asked (If-Match); others take no notice of it, and answer with what is there.
Some list ETags without the quotes that they have elsewhere. Some answer a range with the checksum of the whole object, which
botocore then misses in the range. What stands between may answer with all of an object, with one page of a list forever, or
with nothing: s3fs and botocore multiply their tries, to half an hour for one range.
"""
from __future__ import annotations

import re
import time
from contextvars import ContextVar
from typing import Any

from .answers import Told

PATIENCE = 120.0
"""Seconds after which a range that did not come is not asked for again."""

_ASKED = "stepscope.asked"

# Of a task of asyncio: the range that has not come yet, and when it was first asked for.
_awaited: ContextVar[tuple[Any, float] | None] = ContextVar("_awaited", default=None)


def plain(tag: Any) -> str:
    """An ETag without quotes, and without what says that it was compressed on its way."""
    return str(tag).removeprefix("W/").strip('"')


def watch(fs: Any, bucket: str) -> bool:
    """Has answers to the client of a bucket compared with what was asked; says whether this file system has one."""
    if not hasattr(fs, "get_s3"):
        return False
    from fsspec.asyn import sync

    sync(fs.loop, _watch, fs, bucket)
    return True


async def _watch(fs: Any, bucket: str) -> None:
    await fs.set_session()
    events = (await fs.get_s3(bucket)).meta.events
    # botocore's own handler, which asks for checksums, is one of all operations: this is to come after it. Each is set once.
    events.register_last("before-parameter-build", _begun, unique_id="stepscope-begun")
    events.register("after-call.s3.GetObject", _range_came, unique_id="stepscope-range")
    events.register("after-call.s3.ListObjectsV2", _page_came, unique_id="stepscope-page")


def _begun(params: Any, context: Any, model: Any, **_: Any) -> None:
    if model.name == "GetObject" and "Range" in params:
        context[_ASKED] = params.get("IfMatch"), _first_byte(params["Range"])
        params.pop("ChecksumMode", None)
        _check_patience((params["Bucket"], params["Key"], params["Range"]))
    elif model.name == "ListObjectsV2":
        context[_ASKED] = params.get("ContinuationToken")


def _check_patience(asked: Any) -> None:
    awaited, now = _awaited.get(), time.monotonic()
    if awaited is None or awaited[0] != asked:
        _awaited.set((asked, now))
    elif now - awaited[1] > PATIENCE:
        raise Told(f"cannot read the file: the server did not answer in time ({now - awaited[1]:.0f} s)",
                   "check the connection and the endpoint, and try again later")


def _range_came(parsed: Any, context: Any, **_: Any) -> None:
    if _ASKED not in context or "Body" not in parsed:
        return  # all of it was asked for, or it is an error
    _awaited.set(None)
    tag, first = context[_ASKED]
    failed = None
    if tag and "ETag" in parsed and plain(tag) != plain(parsed["ETag"]):
        failed = Told("the file was changed while it was read", "open the run again when it is no longer written")
    elif first != _first_byte(parsed.get("ContentRange", "0")):
        failed = Told("cannot read the file: the server answers with another range than it was asked for",
                      "copy it from the bucket, and give its path")
    if failed:
        parsed["Body"].close()
        raise failed


def _first_byte(text: str) -> int:
    """Of "bytes=5-9", as ranges are asked for, and "bytes 5-9/20", as they are answered. -1 for what is neither."""
    found = re.match(r"(?:bytes[= ])?(\d+)", text)
    return int(found[1]) if found else -1


def _page_came(parsed: Any, context: Any, **_: Any) -> None:
    following = parsed.get("NextContinuationToken")
    if parsed.get("IsTruncated") and (not following or following == context.get(_ASKED)):
        raise Told("cannot list the directory: the server does not tell what follows a page of it", "name the objects, one by one")
