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


@contextlib.contextmanager
def opened(folder):
    """A function (tool, options) for the profile in `folder`; None where it is not installed."""
    try:
        from xprof.convert import _pywrap_profiler_plugin as converter
    except (ImportError, OSError):
        yield None
        return
    profiles = list(pathlib.Path(folder).rglob("*.xplane.pb"))
    assert len(profiles) == 1, profiles
    with tempfile.TemporaryDirectory() as scratch:  # it writes beside what it reads
        run = pathlib.Path(scratch) / "plugins" / "profile" / "run"
        run.mkdir(parents=True)
        copy = shutil.copy(profiles[0], run)

        def ask(tool, options=None):
            with quiet():
                answer, ok = converter.xspace_to_tools_data(
                    [copy], tool, {"use_saved_result": False, **(options or {})}
                )
            assert ok, answer
            return answer

        yield ask


def steps(folder):
    """The steps of its overview page by number, in ms; None where it is not installed."""
    with opened(folder) as ask:
        if ask is None:
            return None
        page = ask("overview_page")
    for table in json.loads(page):
        keys = [column["id"] for column in table.get("cols", [])]
        if "stepnum" not in keys:
            continue
        rows = [dict(zip(keys, [cell["v"] for cell in row["c"]])) for row in table["rows"]]
        return {int(row["stepnum"].split()[-1]): row for row in rows}
    return {}


def memory(folder, programs):
    """What its memory viewer says of each program, in bytes; None where it is not installed."""
    keys = {
        "peak": "peakHeapMib",
        "allocated": "totalBufferAllocationMib",
        "arguments": "entryComputationParametersMib",
        "outputs": "maybeLiveOutMib",
    }
    with opened(folder) as ask:
        if ask is None:
            return None
        ask("tool_names")  # writes the programs to files of their own, which the viewer reads
        told = {}
        for program in programs:
            page = json.loads(ask("memory_viewer", {"module_name": program, "memory_space": "0"}))
            told[program] = {ours: page.get(key, 0) * 2**20 for ours, key in keys.items()}
        return told


def costs(folder):
    """FLOPs and bytes of one execution of each operation; None where it is not installed."""
    with opened(folder) as ask:
        if ask is None:
            return None
        table = json.loads(ask("hlo_stats"))
    keys = [column["id"] for column in table["cols"]]
    told = {}
    for row in table["rows"]:
        row = dict(zip(keys, [cell["v"] for cell in row["c"]]))
        seconds = row["total_self_time"] / 1e6 / row["occurrences"]
        told[row["hlo_op_name"]] = {
            "flops": row["model_flop_rate"] * 1e9 * seconds,
            "bytes": row["measured_memory_bw"] * 2**30 * seconds,
        }
    return told
