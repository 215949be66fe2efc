"""Opening and closing again and again keeps no memory."""
import subprocess
import sys

import pytest

SCRIPT = """
import gc, sys, stepscope

def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096

def once():
    with stepscope.open(sys.argv[1], threads=1, progress=False) as run:
        report = run.kernel_breakdown()
        report.table("kernels").to_dict()
        run.events(0, ["name", "start", "parent"]).to_dict()
        report._repr_html_()
        if arrow is not None:
            arrow.table(report.table("kernels"))
    try:
        run.steps()
    except stepscope.UseError:
        pass

try:
    import pyarrow as arrow
except ImportError:
    arrow = None
for _ in range(100):
    once()
gc.collect()
before = resident()
for _ in range(1000):
    once()
gc.collect()
print(resident() - before)
"""


@pytest.mark.plain("they keep memory that is freed, to see it used again")
def test_a_thousand_runs_grow_by_less_than_5_mb(tmp_path):
    events = []
    for step in range(4):
        at = step * 1000
        events.append('{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":1,"tid":1,"ts":%d,"dur":1000}' % (step, at))
        events += ['{"ph":"X","cat":"kernel","name":"k%d","pid":0,"tid":7,"ts":%d,"dur":50,"args":{"stream":7,"device":0}}'
                   % (n, at + n * 100) for n in range(10)]
    trace = tmp_path / "rank0.json"
    trace.write_text('{"schemaVersion":1,"traceEvents":[%s]}' % ",".join(events))
    grown = subprocess.run([sys.executable, "-c", SCRIPT, trace], capture_output=True, text=True, timeout=600)
    assert grown.returncode == 0, grown.stderr
    assert int(grown.stdout) < 5_000_000
