"""Analyses of one's own: in a notebook, on the command line, on the page, and what happens when they fail."""
import base64
import contextlib
import http.client
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import stepscope
from stepscope import _plugins

COUNT = '''
import stepscope
from stepscope import column

@stepscope.analysis(title="Count kernels", summary="How many kernels", params={"least": stepscope.param(0, unit="ns")})
def count_kernels(ctx, least):
    """**Question:** How many kernels are there?"""
    found = {rank: [d for d in ctx.events(rank, ["duration"], kind="kernel").to_dict()["duration"] if d >= least]
             for rank in ctx.ranks}
    rows = [{"rank": rank, "kernels": len(lengths), "longest": max(lengths, default=None)} for rank, lengths in found.items()]
    table = stepscope.table("ranks", rows, units={"kernels": "count", "longest": "ns"}, bars="kernels")
    return stepscope.Result(table, headline="Counted.", metrics={"kernels": (sum(map(len, found.values())), "count")},
                            findings=[stepscope.finding("There are kernels.", table="ranks", severity="medium")])
'''


@pytest.fixture(autouse=True)
def forgotten():
    """Leaves no analysis of a test behind."""
    yield
    for name in list(_plugins._owns):
        _plugins.remove(name)


@pytest.fixture
def plugin(tmp_path):
    file = tmp_path / "count_kernels.py"
    file.write_text(COUNT)
    return file


def define(source):
    exec(compile(source, "cell.py", "exec"), {"__name__": "__main__"})


def test_it_is_a_method_a_report_and_in_all_lists(run):
    define(COUNT)
    report = run.count_kernels(least="20us")
    assert report.status == "ok" and report.headline == "Counted."
    assert 0 < report.metrics["kernels"] < run.count_kernels().metrics["kernels"]
    assert report.table("ranks")["rank"] == [0, 1, 2, 3]
    assert [column.role for column in report.table().columns] == ["key", "value", "value"]
    assert "count_kernels" in stepscope.analyses() and "How many kernels" in stepscope.explain("count_kernels")
    assert "least" in str(inspect.signature(run.count_kernels))
    answers = run.analyze()
    assert list(answers)[-1] == "count_kernels" and "There are kernels." in [f.message for f in answers.findings]
    assert "count_kernels" in run.summary()
    assert report.plot().layout.title.text == "Count kernels: Ranks"
    assert "<svg" in report._repr_html_() and "Count kernels" in repr(report)
    with pytest.raises(TypeError, match="did you mean 'least'"):
        run.count_kernels(lest=1)
    with pytest.raises(stepscope.QuestionError, match="not a whole number"):
        run.count_kernels(least="soon")


def test_steps_and_ranks_are_those_of_the_question(run):
    define(COUNT)
    of_step = [run.count_kernels(steps=step).metrics["kernels"] for step in (3, 4)]
    assert run.count_kernels(steps="3..4").metrics["kernels"] == sum(of_step) < run.count_kernels().metrics["kernels"]
    assert run.count_kernels(ranks=[1, 3]).table()["rank"] == [1, 3]


def test_runs_are_compared_by_it(run):
    define(COUNT)
    compared = stepscope.compare(run, run, steps_before=3, steps_after="3..4")
    assert compared["count_kernels"].table("ranks")["kernels_change"][0] > 0


def test_it_asks_reports_and_its_own_parameters(run):
    @stepscope.analysis
    def slowest(ctx, name="steps", deep=False, factor=1.5):
        steps = ctx.report(name).table("steps")
        return stepscope.Result(metrics={"steps": len(steps), "deep": str(deep), "factor": factor}, notes=["only a test"])

    report = run.slowest(deep=True)
    assert report.metrics == {"steps": len(run.steps().table("steps")), "deep": "True", "factor": 1.5}
    assert report.notes[0].message == "only a test"
    assert "no analysis 'stops'" in run.slowest(name="stops").why


def failing(run, function, **params):
    stepscope.analysis("failing")(function)
    answers = run.analyze(["failing", "steps"], params=params)
    assert answers["steps"].status == "ok" and answers["failing"].status == "unavailable"
    return answers["failing"].why


def test_a_failure_is_said_and_ends_nothing(run):
    here = Path(__file__).name

    def wrong_key(ctx):
        return {}["duration"]

    assert re.fullmatch(rf"KeyError: 'duration' \(line \d+ of {here}\)", failing(run, wrong_key))
    assert "there is no unit 'sec'" in failing(run, lambda ctx: stepscope.table("t", {"a": [1]}, units={"a": "sec"}))
    assert failing(run, lambda ctx: {"a": [1, 2], "b": [1]}).startswith("columns have different lengths: a 2, b 1")
    assert "what is no number or text" in failing(run, lambda ctx: {"a": [[1]]})
    assert failing(run, lambda ctx: None).startswith("the function returned nothing")
    assert failing(run, lambda ctx: sys.exit(3)).startswith("SystemExit: 3")
    assert failing(run, lambda ctx: run.steps()).startswith("the run is answering this question")
    assert failing(run, lambda ctx: stepscope.Result(findings=[stepscope.finding("x", table="none")])) == \
        "a finding names the table 'none', which is not there (findings)"
    twice = stepscope.column("a", role="key")
    assert failing(run, lambda ctx: stepscope.table("t", [(1,), (1,)], columns=[twice])).startswith("row 1 has the same keys")

    def nothing_to_read(ctx):
        raise stepscope.Unavailable("no memory events")

    assert failing(run, nothing_to_read) == "no memory events"


def test_what_cannot_be_an_analysis_is_refused():
    for name in ("overview", "close", "Mine"):
        with pytest.raises(stepscope.QuestionError):
            stepscope.analysis(name)(lambda ctx: None)
    with pytest.raises(stepscope.QuestionError, match="no default"):
        stepscope.analysis("mine")(lambda ctx, limit: None)
    with pytest.raises(stepscope.QuestionError, match="does not take the parameter 'limit'"):
        stepscope.analysis("mine", params={"limit": 1})(lambda ctx: None)
    assert "mine" not in stepscope.analyses()


def test_the_context_ends_with_the_function(run):
    kept = []
    stepscope.analysis("keeps")(lambda ctx: kept.append(ctx))
    run.keeps()
    with pytest.raises(stepscope.UseError):
        kept[0].ranks


def endless_loop(ctx):
    while True:
        pass


def endless_reading(ctx):
    while True:
        ctx.events(0, ["duration"])


@pytest.mark.parametrize("function", [
    endless_loop, endless_reading, lambda ctx: time.sleep(60), lambda ctx: threading.Event().wait(60),
    lambda ctx: subprocess.run(["setsid", "sleep", "60"], check=False)])
def test_ctrl_c_ends_it_where_it_is(function, run, seconds_to_stop):
    after = []
    stepscope.analysis("stopped")(function)
    stepscope.analysis("later")(after.append)
    assert seconds_to_stop(lambda: run.analyze(["stopped", "later"])) < 2  # 0.05 s; Popen waits 0.25 s for its process
    assert after == [] and run.steps().status == "ok"


def test_a_function_may_raise_and_catch_interrupts_itself(run):
    @stepscope.analysis
    def given_up(ctx):
        raise KeyboardInterrupt("enough")

    @stepscope.analysis
    def caught(ctx):
        try:
            signal.raise_signal(signal.SIGINT)
            time.sleep(60)
        except KeyboardInterrupt:
            return {"a": [1]}

    with pytest.raises(KeyboardInterrupt, match="enough"):
        run.analyze(["given_up", "steps"])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert run.caught().status == "ok"
    finally:
        signal.signal(signal.SIGINT, before)


def test_it_runs_on_the_thread_that_asks(run, demo):
    @stepscope.analysis
    def thread(ctx):
        return {"name": [threading.current_thread().name]}

    @stepscope.analysis
    def asks_another(ctx):
        with stepscope.open(demo) as other:
            return other.thread().table()

    @stepscope.analysis
    def asks_itself_by_another(ctx):
        with stepscope.open(demo) as other:
            stepscope.analysis("asks_the_first")(lambda ctx: run.steps())
            raise stepscope.Unavailable(other.asks_the_first().why)

    names = []
    asking = threading.Thread(target=lambda: names.append(run.thread().table()["name"]), name="asking")
    asking.start()
    names.append(run.asks_another().table()["name"])
    asking.join()
    assert sorted(names) == [[threading.main_thread().name], ["asking"]]
    assert run.asks_itself_by_another().why.startswith("the run is answering this question")


def test_threads_of_the_function_ask_the_context_until_it_ends(run):
    ended = []

    @stepscope.analysis
    def counts(ctx):
        def until_it_ends():
            try:
                while True:
                    ctx.events(0, ["duration"])
            except stepscope.UseError as error:
                ended.append(error.what)

        thread = threading.Thread(target=until_it_ends)
        thread.start()
        ended.append(thread)
        with ThreadPoolExecutor(4) as pool:
            return {"rank": ctx.ranks, "events": list(pool.map(lambda rank: len(ctx.events(rank, ["duration"])), ctx.ranks))}

    assert run.counts().table()["events"] == [len(run.events(rank, ["duration"])) for rank in range(4)]
    ended[0].join(60)
    assert "the context has ended" in ended[1]


FORKS = """
import os, sys, stepscope

@stepscope.analysis
def forks(ctx):
    child = os.fork()
    if child:
        return {"code": [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])]}
    try:
        ctx.events(0)
    except stepscope.UseError:
        return {"code": [0]}

try:
    print(stepscope.open(sys.argv[1]).forks().table()["code"])
except stepscope.UseError as error:
    os._exit(7 if "a process that it forked" in error.what else 1)
"""


def test_a_fork_in_it_hangs_in_neither_process(demo):
    asked = subprocess.run([sys.executable, "-c", FORKS, demo], capture_output=True, text=True, timeout=60, check=True)
    assert asked.stdout == "[7]\n", asked.stderr


def test_frames_become_tables(run):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"name": ["a", "b"], "mean": [1.6, float("nan")], "n": pandas.array([1, None], dtype="Int64")})
    made = stepscope.table("t", frame, units={"mean": "ns"})
    assert made.values == [["a", "b"], [2, None], [1, None]] and made.columns[0].role == "key"
    by_name = frame.groupby("name")["mean"].max()
    assert stepscope.table("t", by_name).values == [["a", "b"], [1.6, None]]
    polars = pytest.importorskip("polars")
    assert stepscope.table("t", polars.from_pandas(frame)).values == [["a", "b"], [1.6, None], [1, None]]
    assert stepscope.table("t", {"flag": [True, None]}).values == [["yes", None]]


def visitor_of(page):
    """Opens the page as a browser does; what it returns gets paths of it."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    browser.open(page.url, timeout=60).read()
    base = page.url.split("?")[0].rstrip("/")
    return lambda path: browser.open(base + path, timeout=60).read()


def test_the_page_has_it(run):
    define(COUNT)
    with run.serve() as page:
        get = visitor_of(page)
        assert json.loads(get("/api/analyses"))[-1]["name"] == "count_kernels"
        ident = json.loads(get("/api/state"))["runs"][0]["id"]
        report = json.loads(get(f"/api/runs/{ident}/answer?only=count_kernels"))["reports"][0]
        assert report["tables"][0]["bars"] == "kernels" and report["group"] == "" and len(report["tables"][0]["rows"]) == 4


def test_a_page_that_closes_ends_what_it_was_asked_for(run):
    begun, ended = threading.Event(), threading.Event()

    @stepscope.analysis
    def endless(ctx):
        begun.set()
        try:
            while True:
                time.sleep(0.01)
        finally:
            ended.set()

    page = run.serve()
    get = visitor_of(page)
    ident = json.loads(get("/api/state"))["runs"][0]["id"]

    def ask():
        with contextlib.suppress(OSError, http.client.HTTPException):
            get(f"/api/runs/{ident}/answer?only=endless")

    asking = threading.Thread(target=ask)
    asking.start()
    assert begun.wait(60)
    page.close()
    assert ended.wait(10)
    asking.join()


def test_the_command_line_loads_it(demo, plugin, run_program, tmp_path):
    (tmp_path / "beside.py").write_text("TITLE = 'From beside'\n")
    second = tmp_path / "second.py"
    second.write_text("import beside, stepscope\n@stepscope.analysis(title=beside.TITLE)\ndef second(ctx): return {'a': [1]}\n")
    both = ["--plugin", plugin, f"--plugin={second}"]
    answered = run_program("analyze", demo, *both, "--only", "second,count_kernels", "--format", "json")
    assert [report["title"] for report in json.loads(answered.stdout)["reports"]] == ["From beside", "Count kernels"]
    assert run_program("analyze", demo, *both, "--fail-on", "count_kernels.kernels>0").returncode == 1
    assert "count_kernels" in run_program("list", "--plugin", plugin).stdout
    assert "How many kernels" in run_program("explain", "count_kernels", "--plugin", plugin).stdout
    assert "count_kernels" in run_program("completions", "bash", "--plugin", plugin).stdout
    rows = run_program("table", "count_kernels.ranks", demo, "--plugin", plugin, "--where", "rank=2").stdout
    assert "count_kernels.ranks#" in rows
    assert "Counted." in run_program("analyze", demo, "--plugin", plugin, "--full", "--lang", "ja").stdout
    page = tmp_path / "page.html"
    assert run_program("report", demo, "--plugin", plugin, "-o", page).returncode == 0
    packed = re.findall(r'<script type="text/plain" id="stepscope-[^"]*">([^<]*)</script>', page.read_text())
    assert any(b'"analysis":"count_kernels"' in zlib.decompress(base64.b64decode(one), -15) for one in packed)
    assert "count_kernels" not in run_program("list", cwd=tmp_path).stdout


@pytest.mark.parametrize("source, said", [
    ("import nothing_of_this_name\n", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
    ("def f(:\n", "SyntaxError"),
    ("x = 1\n", "the file adds no analysis"),
    ("import stepscope\nstepscope.analysis('overview')(lambda ctx: 0)\n", "there is an analysis 'overview' already")])
def test_a_file_that_cannot_be_loaded_ends_the_command(source, said, demo, tmp_path, run_program):
    file = tmp_path / "broken.py"
    file.write_text(source)
    failed = run_program("analyze", demo, "--plugin", file)
    assert failed.returncode == 2 and said in failed.stderr and "broken.py" in failed.stderr
    assert run_program("list", "--plugin", tmp_path / "none.py").returncode == 2


def test_the_example_of_the_documentation(demo, run_program, tmp_path):
    pytest.importorskip("pandas")
    page = (Path(__file__).parents[2] / "docs/own-analysis.md").read_text()
    file = tmp_path / "late_kernels.py"
    file.write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1))
    answered = run_program("analyze", demo, "--plugin", file, "--only", "late_kernels", "--format", "json",
                           "-p", "late_kernels.limit=1ms")
    report = json.loads(answered.stdout)["reports"][0]
    assert report["status"] == "ok", report["why"]
    assert report["metrics"][0]["value"] == sum(row[2] for row in report["tables"][0]["rows"]) > 0


def test_private_names_pass_through_the_redactor(tmp_path, run_program):
    trace = tmp_path / "rank0.json"
    trace.write_text('{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"/home/alice/net.py(3): forward",'
                     '"pid":1,"tid":1,"ts":1,"dur":5},{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":2,"dur":5,'
                     '"args":{"device":0,"stream":7}}]}')
    file = tmp_path / "names.py"
    file.write_text("import stepscope\n@stepscope.analysis\ndef names(ctx):\n"
                    "    seen = ctx.events(0, ['name'], kind='operator').to_dict()['name']\n"
                    "    return {'name': [*seen, '/home/alice/data/of.txt']}\n")
    private = run_program("table", "names.rows", trace, "--plugin", file).stdout
    assert "forward" in private and "alice" not in private
    assert "alice" in run_program("table", "names.rows", trace, "--plugin", file, "--no-redact").stdout


def test_infinity_is_no_value():
    with pytest.raises(stepscope.QuestionError, match="without end(.|\n)*None"):
        stepscope.table("rates", {"rank": [0], "rate": [float("inf")]})
    assert stepscope.table("times", {"time": [2.6]}, units={"time": "ns"}).values == [[3]]
