"""Asks the `stepscope` binary, outside of this process."""
import json
import os
import shutil
import subprocess
import sys
from typing import Any, Dict, Sequence


def binary() -> str:
    """Returns the path of `stepscope`: $STEPSCOPE_BINARY, or beside this Python, or on PATH.

    Raises FileNotFoundError, which says what to do, if there is none.
    """
    given = os.environ.get("STEPSCOPE_BINARY")
    if given:
        if os.access(given, os.X_OK):
            return given
        raise FileNotFoundError("STEPSCOPE_BINARY={} cannot be run".format(given))
    beside = os.path.join(os.path.dirname(sys.executable), "stepscope")
    found = beside if os.access(beside, os.X_OK) else shutil.which("stepscope")
    if found is None:
        raise FileNotFoundError("cannot find the binary `stepscope`: put it on PATH, or its path into "
                                "STEPSCOPE_BINARY")
    return found


def analyze_goodput(arguments: Sequence[str]) -> Dict[str, Any]:
    """Returns what `stepscope goodput analyze ARGUMENTS` says, as docs/report-schema.json describes it.

    Raises ValueError with the program's own message if it refuses.
    """
    done = subprocess.run([binary(), "goodput", "analyze", "--format", "json", "--lang", "en", *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.stdout:
        return json.loads(done.stdout)
    raise ValueError(_message(done))


def _message(done: "subprocess.CompletedProcess[bytes]") -> str:
    said = done.stderr.decode("utf-8", "replace").strip()
    prefix = "stepscope: "
    return said[len(prefix):] if said.startswith(prefix) else said or "stepscope ended with {}".format(
        done.returncode)
