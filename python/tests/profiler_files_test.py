"""What torch_traces does with files, with a stand-in for torch.profiler: kills, failures, uploads. Needs no framework."""
import os
import signal
import subprocess
import sys
import time

import profiler_support as support
import pytest

# Writes traces as PyTorch does, of so many events.
PROGRAM = """
import logging, os, sys, time
logging.basicConfig(format="%(message)s")
from stepscope.profiler import torch_traces

class Profiler:
    def __init__(self, events=100, cut=0):
        self.events, self.cut = events, cut

    def export_chrome_trace(self, path):
        event = '{"ph": "X", "cat": "cpu_op", "name": "aten::op%d", "pid": 1, "tid": 1, "ts": %d, "dur": 1, "args": {}}'
        text = '{\\n  "schemaVersion": 1,\\n  "traceEvents": [\\n' + ",\\n".join(
            event % (n % 100, n * 2) for n in range(self.events)) + '],\\n  "traceName": "x.json"\\n}\\n'
        with open(path, "w") as file:
            file.write(text[:len(text) - self.cut])
"""


def run(code, folder, **environment):
    done = support.python(PROGRAM + code, cwd=folder, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def names(folder):
    return [name for name in support.traces(folder) if not name.startswith(".")]


def test_importing_it_loads_neither_a_framework_nor_the_extension(tmp_path):
    said = run("""
handler = torch_traces("runs")
handler(Profiler())
print([name for name in sys.modules if name.split(".")[0] in ("torch", "jax", "numpy") or name == "stepscope._core"])
""", tmp_path)
    assert said == "[]\n" and len(names(tmp_path / "runs")) == 1  # the end of the program waited for it


def test_a_kill_while_a_trace_is_written_leaves_no_half_file(tmp_path):
    """Kills at different moments; every file with its final name is whole."""
    code = PROGRAM + """
handler, profiler = torch_traces("runs", keep=1000), Profiler(60_000)
print("ready", flush=True)
while True:
    handler(profiler)
"""
    for attempt in range(20):
        program = subprocess.Popen([sys.executable, "-c", code], cwd=str(tmp_path), stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "PYTHONPATH": support.PYTHON, "RANK": str(attempt)})
        program.stdout.readline()
        time.sleep(0.15 + 0.013 * attempt)
        program.send_signal(signal.SIGKILL)
        program.communicate()
    drafts = [name for name in support.traces(tmp_path / "runs") if name.startswith(".")]
    assert drafts and names(tmp_path / "runs")  # kills came in the middle, and after a file
    for name in names(tmp_path / "runs"):
        assert len(support.read_json(tmp_path / "runs" / name)["traceEvents"]) == 60_000
    answer = support.analyze(tmp_path / "runs")
    assert len(answer["run"]["files"]) == len(names(tmp_path / "runs"))


def test_a_trace_that_pytorch_cut_is_not_published(tmp_path):
    said = run("torch_traces('runs')(Profiler(cut=30))", tmp_path)
    assert "only a part of a trace" in said and support.traces(tmp_path / "runs") == []


def test_a_profiler_that_fails_is_a_warning_once(tmp_path):
    said = run("""
handler = torch_traces("runs")
for _ in range(3):
    handler(object())
print("on")
""", tmp_path)
    assert said.startswith("on\n") and said.count("export_chrome_trace") == 1 and support.traces(tmp_path / "runs") == []


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.system("mount -t tmpfs -o size=256k tmpfs '{}' 2>/dev/null".format(folder)) != 0:
        pytest.skip("no small file system can be mounted here: this needs root")
    yield folder
    os.system("umount '{}'".format(folder))


@pytest.mark.parametrize("events", [100_000, 2_300])
def test_a_full_disk_is_a_warning_and_leaves_no_draft(tmp_path, small_disk, events):
    """The plain trace does not fit, or it does and the second copy does not."""
    said = run("torch_traces('small/runs', compress=False)(Profiler({}))\nprint('on')".format(events), tmp_path)
    assert said.startswith("on\n") and "No space left" in said
    assert os.listdir(str(small_disk / "runs")) == []


def test_attempts_of_one_second_have_names_of_their_own(tmp_path):
    run("""
time.strftime = lambda *_: "20260101T000000Z"
for _ in range(3):
    handler = torch_traces("runs", rank=0, world_size=1)
    handler(Profiler())
    handler.wait()
""", tmp_path)
    assert names(tmp_path / "runs") == ["rank0.w0.20260101T000000Z-2.json.gz", "rank0.w0.20260101T000000Z-3.json.gz",
                                       "rank0.w0.20260101T000000Z.json.gz"]
    trace = support.read_json(tmp_path / "runs" / names(tmp_path / "runs")[0])
    assert trace["distributedInfo"] == {"rank": 0, "world_size": 1}


def test_windows_that_come_faster_than_they_are_written_are_dropped(tmp_path):
    said = run("""
import stepscope.profiler._torch as own
write = own.rewrite
own.rewrite = lambda *given: (time.sleep(0.3), write(*given))
handler = torch_traces("runs")
begun = time.monotonic()
for _ in range(12):
    handler(Profiler())
assert time.monotonic() - begun < 0.3  # the loop never waited
""", tmp_path)
    assert "a window of steps was dropped" in said and 5 <= len(names(tmp_path / "runs")) <= 7


def test_the_name_of_the_recorders_job_is_taken(tmp_path):
    run("""
from stepscope.goodput import Recorder
recorder = Recorder("llm", directory="events")
torch_traces("runs")(Profiler())
""", tmp_path, STEPSCOPE_LABELS="team=nlp", SLURM_JOB_NAME="other", SLURM_JOB_ID="4711", SLURM_PROCID="1", SLURM_NTASKS="4")
    trace = support.read_json(tmp_path / "runs" / names(tmp_path / "runs")[0])
    assert trace["PT_PROFILER_JOB_NAME"] == "nlp/llm" and trace["PT_PROFILER_JOB_ATTEMPT_INDEX"] == "~slurm.4711.0"
    assert trace["distributedInfo"] == {"rank": 1, "world_size": 4}


def test_bad_options_are_refused_at_once():
    said = support.python("from stepscope.profiler import torch_traces\ntorch_traces('runs', keep=0)")
    assert "keep must be 1 or more" in said.stderr
    said = support.python("from stepscope.profiler import jax_traces\njax_traces('runs', steps=[1, 3])")
    assert "give a range such as range(10, 15)" in said.stderr
    said = support.python("from stepscope.profiler import jax_traces\njax_traces('runs', steps=range(9), session='../x')")
    assert "cannot name a session" in said.stderr


def test_windows_come_again():
    from stepscope.profiler._steps import Windows
    once, again = Windows(range(2, 4)), Windows(range(2, 4), every=5)
    assert [once.place(n) for n in range(6)] == [None, -1, 0, 1, None, None]
    assert [again.place(n) for n in range(14)] == [None, -1, 0, 1, None, None, -1, 0, 1, None, None, -1, 0, 1]
    assert [Windows(range(0, 1)).place(n) for n in range(3)] == [0, None, None]
    with pytest.raises(ValueError):
        Windows(range(2, 4), every=3)


def test_the_lock_of_a_process_is_that_of_captures_from_outside(tmp_path):
    said = support.python("""
import fcntl, glob, os, time
from stepscope.profiler._lock import ProcessLock
ours, theirs = ProcessLock(), ProcessLock()
pattern = "/tmp/stepscope-{}/*.{}.*.lock".format(os.geteuid(), os.getpid())
assert ours.take() and not theirs.take()
[path] = glob.glob(pattern)
if os.fork() == 0:
    time.sleep(0.5)  # a worker of a loader, which has the file open
    os._exit(0)
ours.release()
assert glob.glob(pattern) == [] and theirs.take()
theirs.release()
with open(path, "w") as file:  # a capture that was given up, and may still run
    file.write("{} timed out".format(time.time_ns() + 10**10))
os.chmod(path, 0o600)
assert not ours.take()
os.unlink(path)
print("done")
""")
    assert said.stdout == "done\n", said.stderr


# Uploads.

def test_a_url_without_fsspec_keeps_the_file_and_says_where(tmp_path):
    said = run("sys.modules['fsspec'] = None\nhandler = torch_traces('gs://bucket/runs')\nhandler(Profiler())\n"
               "handler.wait()\nprint(*handler.files)", tmp_path, TMPDIR=str(tmp_path))
    kept = said.splitlines()[-1] if "could not" not in said.splitlines()[-1] else said.splitlines()[0]
    assert "pip install fsspec" in said and support.read_json(kept)["traceEvents"]


def test_a_file_url_is_a_folder(tmp_path):
    run("torch_traces('file://' + os.getcwd() + '/my%20runs')(Profiler())", tmp_path)
    assert len(names(tmp_path / "my runs")) == 1


def test_an_upload_keeps_as_many_as_asked(tmp_path):
    pytest.importorskip("fsspec", reason="fsspec is not installed: uploads are not tested")
    said = run("""
import fsspec
handler = torch_traces("memory://bucket/runs/", keep=2, rank=5)
for _ in range(4):
    handler(Profiler())
assert handler.wait()
files = fsspec.filesystem("memory").ls("/bucket/runs", detail=False)
print([name.split("/")[-1].split(".")[:2] for name in sorted(files)], handler.files == ["memory:/" + f for f in sorted(files)])
""", tmp_path, TMPDIR=str(tmp_path))
    assert said == "[['rank5', 'w2'], ['rank5', 'w3']] True\n"
    assert [name for name in os.listdir(str(tmp_path)) if os.listdir(str(tmp_path / name))] == []  # nothing is left here


def test_an_upload_to_a_bucket_ends_before_the_program(tmp_path):
    pytest.importorskip("s3fs", reason="s3fs is not installed: buckets are not tested")
    pytest.importorskip("moto.server", reason="moto and flask are not installed: buckets are not tested")
    server = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "s3_server.py"), str(tmp_path / "port")])
    try:
        until = time.monotonic() + 60
        while not (tmp_path / "port").exists() and time.monotonic() < until:
            time.sleep(0.05)
        options = {"endpoint_url": "http://127.0.0.1:" + (tmp_path / "port").read_text(), "key": "testing", "secret": "testing"}
        said = run("""
import s3fs
options = {!r}
s3fs.S3FileSystem(**options).mkdir("bucket")
torch_traces("s3://bucket/runs", storage_options=options, rank=1)(Profiler())
torch_traces("s3://nobody/runs", storage_options=options, rank=1)(Profiler())
""".format(options), tmp_path)
        assert "could not be uploaded to s3://nobody" in said and said.count("stepscope:") == 1
        listed = support.python("import s3fs; print(s3fs.S3FileSystem(**{!r}).ls('bucket/runs'))".format(options))
        assert "bucket/runs/rank1.w0." in listed.stdout
    finally:
        server.kill()
        server.wait()
