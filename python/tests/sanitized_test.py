"""What ./dev wheel --asan brings works: memory used after its end ends the program, and LeakSanitizer finds no object of
the extension that nothing refers to.
"""
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif("STEPSCOPE_SANITIZED" not in os.environ, reason="./dev wheel --asan runs it")

# All that hands over objects, and errors in each; then what nothing refers to any more is a leak. (What something still
# refers to, leak_test.py sees grow.)
SCRIPT = """
import ctypes, gc, io, sys, stepscope

demo = sys.argv[1]

@stepscope.analysis(name="broken")
def broken(run):
    raise ValueError("on purpose")

def use():
    with stepscope.open(demo, progress=False) as run:
        report = run.kernel_breakdown()
        report.table("kernels").to_dict()
        report.table("kernels").arrow()
        report.df()
        repr(run.summary()) + report._repr_html_()
        run.events(0, ["name", "start", "parent"]).arrow()
        run.events(0, kind="kernel").df()
        stepscope.compare(run, run)
        with run.serve(port=0):
            pass
        for wrong in (lambda: run.events(0, ["nmae"]), lambda: report.table("krenels"), lambda: run.broken().headline):
            try:
                wrong()
            except stepscope.Error:
                pass
    try:
        run.steps()
    except stepscope.UseError:
        pass
    try:
        stepscope.open(io.BytesIO(b"no trace"), progress=False)
    except stepscope.Error:
        pass

use()
with stepscope.open(demo, progress=False) as run:
    # Lost on purpose, to see that it is found.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(run.kernel_breakdown().table("kernels").__arrow_c_stream__()))
gc.collect()
ctypes.CDLL(None).__lsan_do_recoverable_leak_check()
"""


def child(script, folder, *words, options=""):
    """Exit code of a script, what it says, and what the sanitizers say of it."""
    options = f"{os.environ['ASAN_OPTIONS']}:log_path={folder / 'said'}{options}"
    done = subprocess.run([sys.executable, "-c", script, *map(str, words)], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "ASAN_OPTIONS": options})
    return done.returncode, done.stderr, "".join(path.read_text() for path in folder.glob("said.*"))


def test_memory_used_after_its_end_ends_the_program(tmp_path):
    script = """
import ctypes
c = ctypes.CDLL(None)
c.malloc.restype, c.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
freed = c.malloc(100)
c.free(freed)
print(ctypes.string_at(freed, 8))
"""
    code, _, said = child(script, tmp_path)
    assert code == 99 and "heap-use-after-free" in said


def test_only_what_is_lost_on_purpose_is_lost(demo, tmp_path):
    code, error, said = child(SCRIPT, tmp_path, demo, options=":fast_unwind_on_malloc=0:malloc_context_size=10")
    assert code == 0, error
    direct = [leak for leak in said.split("\n\n") if leak.startswith("Direct leak")]
    ours = [leak for leak in direct if "stepscope::" in leak or "/_core." in leak]
    assert len(ours) == 1 and "1 object" in ours[0] and "capsule" in ours[0], said
