"""Input that is not a path: objects with read(), and URLs of fsspec's own file systems."""
import gzip
import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

import stepscope

URL = "memory://jobs/demo"
PROFILE = os.path.join(os.path.dirname(__file__), "../../docs/notebooks/profiles/jax/train.xplane.pb.gz")


def traces(demo):
    return sorted(path for path in demo.glob("*.json*") if "rank" in path.name)


def rows(run):
    return run.stragglers().table().to_dict(), run.idle_time().table().to_dict()


@pytest.fixture
def memory(demo):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: URLs are not tested")
    fs = fsspec.filesystem("memory")
    for path in demo.iterdir():
        fs.pipe(f"/jobs/demo/{path.name}", path.read_bytes())
    yield fs
    fs.rm("/jobs", recursive=True)


class Stream:
    """Bytes that come once, and a few at a time."""

    def __init__(self, data, name=None):
        self._data, self.name = io.BytesIO(data), name

    def read(self, size=-1):
        return self._data.read(min(size, 70_000) if size >= 0 else 70_000)


def test_open_files_and_buffers_are_traces(demo, run):
    files = [open(path, "rb") for path in traces(demo)]
    with stepscope.open(files) as opened:
        assert opened.ranks == [0, 1, 2, 3] and rows(opened) == rows(run)
        assert [file["path"] for file in opened.files] == [file.name for file in files]
        assert len(opened.events(1)) == len(run.events(1))
    assert not any(file.closed for file in files)


@pytest.mark.parametrize("wrap", [io.BytesIO, Stream, lambda data: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(data)))],
                         ids=["BytesIO", "Stream", "GzipFile"])
def test_one_object_whatever_it_can(demo, wrap):
    path = traces(demo)[2]
    with stepscope.open(path) as expected, stepscope.open(wrap(path.read_bytes())) as opened:
        assert opened.ranks == expected.ranks
        assert opened.temporal_breakdown().table().to_dict() == expected.temporal_breakdown().table().to_dict()
        assert len(opened.events(2)) == len(expected.events(2))


def test_paths_and_objects_mix_and_a_name_names_the_rank(demo, tmp_path):
    event = '{"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1,"dur":5,"args":{"stream":7}}]}'
    for rank in (3, 5):
        (tmp_path / f"rank_{rank}.json").write_text(event)
    other = Stream(event.encode(), "rank_5.json")
    with stepscope.open([tmp_path / "rank_3.json", other]) as opened:
        assert opened.ranks == [3, 5]


def test_a_pipe_is_kept_in_memory_and_read_again(demo):
    reading, writing = os.pipe()
    data = traces(demo)[0].read_bytes()
    thread = threading.Thread(target=lambda: (os.write(writing, data[:1000]), time.sleep(0.1),
                                              os.fdopen(writing, "wb").write(data[1000:])))
    thread.start()
    with os.fdopen(reading, "rb") as pipe, stepscope.open(pipe) as opened:
        thread.join()
        assert opened.ranks == [0] and len(opened.events(0)) > 100


def test_xplane_profiles(tmp_path):
    with open(PROFILE, "rb") as file:
        packed = file.read()
    plain = gzip.decompress(packed)
    path = tmp_path / "train.xplane.pb"
    path.write_bytes(plain)
    with stepscope.open(path) as expected:
        for given in (io.BytesIO(plain), io.BytesIO(packed), Stream(plain)):
            with stepscope.open(given) as opened:
                assert opened.overview().metrics == expected.overview().metrics


def test_what_is_no_stream_of_bytes(demo):
    for given in (io.StringIO("{}"), open(traces(demo)[0])):
        with pytest.raises(stepscope.QuestionError, match="text mode"):
            stepscope.open(given)
    with pytest.raises(stepscope.InputError, match="nothing that could|empty|not JSON"):
        stepscope.open(io.BytesIO(b""))

    class Broken:
        def read(self, size):
            raise OSError("the line is cut")

    with pytest.raises(stepscope.InputError, match="the line is cut"):
        stepscope.open(Broken())


def test_a_closed_object_cannot_be_read_again(demo):
    with open(traces(demo)[1], "rb") as file:
        opened = stepscope.open(file)
    assert opened.steps().status == "ok"
    with pytest.raises(stepscope.InputError, match="it was closed") as raised:
        opened.events(1)
    assert "keep it open" in raised.value.hint
    with pytest.raises(stepscope.QuestionError, match="closed file"):
        stepscope.open(file)


def test_a_url_is_what_a_directory_is(memory, demo, run):
    with stepscope.open(URL) as opened:
        assert opened.name == URL and opened.ranks == run.ranks and rows(opened) == rows(run)
        assert {file["path"] for file in opened.files} == {f"{URL}/{path.name}" for path in demo.glob("*.json*")}
        assert len(opened.events(3)) == len(run.events(3))
    with stepscope.open(f"{URL}/*rank-[12]*") as opened:
        assert opened.ranks == [1, 2]
    with stepscope.open([f"{URL}/{traces(demo)[0].name}", traces(demo)[1]]) as opened:
        assert opened.ranks == [0, 1]


def test_directories_of_ranks_and_of_tensorboard(memory, demo):
    for rank, path in enumerate(traces(demo)):
        memory.pipe(f"/jobs/ranks/rank_{rank}/trace.json.gz", path.read_bytes())
    assert stepscope.open("memory://jobs/ranks/").ranks == [0, 1, 2, 3]
    for time_of in ("2026_01_01_00_00_00", "2026_02_01_00_00_00"):
        memory.put(PROFILE, f"/jobs/tb/plugins/profile/{time_of}/host.xplane.pb")
    with stepscope.open("memory://jobs/tb") as opened:
        assert [file["path"] for file in opened.files] == [
            "memory://jobs/tb/plugins/profile/2026_02_01_00_00_00/host.xplane.pb"]


def test_the_page_and_comparisons_of_urls(memory, demo):
    with stepscope.open(URL) as opened:
        with opened.serve() as page:
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            assert browser.open(page.url, timeout=60).status == 200
            until, states = time.monotonic() + 60, [""]
            while states != ["ready"] and time.monotonic() < until:
                said = json.loads(browser.open(page.url.split("?")[0] + "api/state", timeout=60).read())
                states = [one["state"] for one in said["runs"]]
                time.sleep(0.1)
            assert states == ["ready"], said
        assert stepscope.whatif(opened, stragglers=True).status == "ok"
        assert stepscope.compare(opened, demo)["compare"].status == "ok"
    assert stepscope.whatif(URL, "link: x2").status == "ok"
    with pytest.raises(stepscope.InputError, match="files of this machine"):
        stepscope.whatif("memory://jobs/operations.parquet")


def test_a_server_that_knows_no_ranges(demo, tmp_path):
    pytest.importorskip("aiohttp", reason="aiohttp is not installed: http:// is not tested")
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *given):
            super().__init__(*given, directory=str(tmp_path))

        def log_message(self, *_):
            pass

    (tmp_path / "job").mkdir()
    plain = gzip.decompress(traces(demo)[1].read_bytes()) + b" " * 9_000_000
    (tmp_path / "job/rank1.json").write_bytes(plain)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/job/"
        for url in (address, address + "rank1.json", address + "rank1.json?signature=secret"):
            with stepscope.open(url) as opened:
                assert opened.ranks == [1] and "secret" not in opened.files[0]["path"]
                assert [file["problem"] for file in opened.files] == [""]
        server.shutdown()


def test_a_page_that_nobody_closes_ends_with_its_process(demo):
    script = ("import fsspec, sys, stepscope, pathlib\n"
              "fs = fsspec.filesystem('memory')\n"
              f"[fs.pipe('/j/' + p.name, p.read_bytes()) for p in pathlib.Path({str(demo)!r}).iterdir()]\n"
              "page = stepscope.open('memory://j').serve()\n"
              "other = stepscope.open('memory://j').serve()\n"
              "del other\n"
              "print(page.url)\n")
    pytest.importorskip("fsspec")
    done = subprocess.run([sys.executable, "-c", script], timeout=60, capture_output=True, text=True)
    assert done.returncode == 0 and "http" in done.stdout, done.stderr


def test_urls_that_lead_nowhere(memory):
    with pytest.raises(stepscope.InputError, match="no such file") as raised:
        stepscope.open("memory://nothing/here")
    assert raised.value.where == "memory://nothing/here"
    with pytest.raises(stepscope.InputError, match="no file matches"):
        stepscope.open("memory://nothing/*.json")
    with pytest.raises(stepscope.QuestionError, match="not known"):
        stepscope.open("nonsense://bucket/run")
    pytest.importorskip("s3fs")
    with pytest.raises(stepscope.InputError, match="no_such_option") as raised:
        stepscope.open("s3://b/run", storage_options={"anon": True, "no_such_option": 1})
    assert "storage_options" in raised.value.hint


def test_without_fsspec_or_its_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(ImportError, match="not installed") as raised:
        stepscope.open("gs://bucket/run/")
    assert "gcsfs" in raised.value.hint
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(stepscope.MissingLibrary) as raised:
        stepscope.open("s3://bucket/run/")
    assert raised.value.hint == "pip install fsspec s3fs"


def test_ctrl_c_ends_the_wait_for_what_does_not_come(demo):
    near, far = socket.socketpair()
    near.sendall(traces(demo)[0].read_bytes()[:5000])
    script = ("import os, socket, sys, stepscope\n"
              "print('ready', flush=True)\n"
              "stepscope.open(socket.socket(fileno=int(sys.argv[1])).makefile('rb'), progress=False)\n")
    child = subprocess.Popen([sys.executable, "-c", script, str(far.fileno())], pass_fds=[far.fileno()],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    child.stdout.readline()
    time.sleep(1)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=30)[1]
    assert b"KeyboardInterrupt" in said and time.monotonic() - began < 2  # 0.2 s, and the end of the process
    near.close()


def test_a_stream_that_a_fork_inherits_is_refused(memory):
    opened = stepscope.open(URL)
    child = os.fork()
    if child == 0:
        try:
            opened.events(0)
        except stepscope.UseError:
            os._exit(0)
        except BaseException:  # noqa: BLE001
            os._exit(2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_three_threads_at_once_and_none_is_left(memory, demo):
    data = traces(demo)[0].read_bytes()
    failed = []

    def ask():
        try:
            for _ in range(5):
                assert stepscope.open([io.BytesIO(data)]).ranks == [0]
                assert stepscope.open(URL).ranks == [0, 1, 2, 3]
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    before = threading.active_count()
    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failed
    until = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.05)
    assert threading.active_count() <= before


class Raising(io.BytesIO):
    """Reads until a place, and then raises."""

    def __init__(self, data, error, at=0):
        super().__init__(data)
        self._error, self._at = error, at

    def read(self, size=-1):
        if self.tell() >= self._at:
            raise self._error
        return super().read(size)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)], ids=["KeyboardInterrupt", "SystemExit"])
def test_an_interrupt_in_read_stops_opening(demo, error):
    for others in ([], traces(demo)[1:]):
        with pytest.raises(type(error)) as raised:
            stepscope.open([Raising(traces(demo)[0].read_bytes(), error), *others])
        assert raised.value is error
    with pytest.raises(type(error)):
        stepscope.whatif(Raising(traces(demo)[0].read_bytes(), error), stragglers=True)


def test_an_interrupt_in_read_stops_reading_again(demo):
    source = Raising(traces(demo)[0].read_bytes(), KeyboardInterrupt(), at=1 << 40)
    with stepscope.open(source) as opened:
        source._at = 0
        with pytest.raises(KeyboardInterrupt):
            opened.events(opened.ranks[0])


def test_what_to_try_fits_an_object(demo):
    with pytest.raises(stepscope.InputError, match="odd bytes") as raised:
        stepscope.open(Raising(traces(demo)[0].read_bytes(), ValueError("odd bytes")))
    assert "storage_options" not in raised.value.hint and "ValueError" in raised.value.hint
