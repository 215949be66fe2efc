"""Reads options of file systems as a command line gives them."""
from __future__ import annotations

import json
from typing import Any, Iterable

from ..errors import QuestionError


def read_options(given: Iterable[str]) -> dict[str, Any]:
    """{"anon": True} of "anon=true". A value is JSON where it is true, false, null, a number, an object or a list.

    Raises QuestionError for what has no "=".
    """
    return dict(map(_pair, given))


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise QuestionError("cannot read the option: it is not NAME=VALUE", "`storage_options`",
                            "anon=true, endpoint_url=http://HOST:PORT, profile=NAME")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
