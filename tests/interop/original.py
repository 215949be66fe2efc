"""Prints what XProf, the TensorFlow Profiler's own converter, computes from a profile."""

import contextlib
import json
import os
import pathlib
import shutil
import tempfile


@contextlib.contextmanager
def quiet():
    """Its library tells the standard error of every stage, whatever the log level."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def steps(folder):
    """The steps of its overview page by number, in ms; None where it is not installed."""
    try:
        from xprof.convert import _pywrap_profiler_plugin as converter
    except (ImportError, OSError):
        return None
    profiles = list(pathlib.Path(folder).rglob("*.xplane.pb"))
    assert len(profiles) == 1, profiles
    with tempfile.TemporaryDirectory() as scratch:  # it writes beside what it reads
        run = pathlib.Path(scratch) / "plugins" / "profile" / "run"
        run.mkdir(parents=True)
        copy = shutil.copy(profiles[0], run)
        with quiet():
            page, ok = converter.xspace_to_tools_data(
                [copy], "overview_page", {"use_saved_result": False}
            )
    assert ok, page
    for table in json.loads(page):
        keys = [column["id"] for column in table.get("cols", [])]
        if "stepnum" not in keys:
            continue
        rows = [dict(zip(keys, [cell["v"] for cell in row["c"]])) for row in table["rows"]]
        return {int(row["stepnum"].split()[-1]): row for row in rows}
    return {}
