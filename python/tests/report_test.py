"""Reports and tables: values, frames, Arrow, text and HTML."""
import html.parser
import json
import math

import pandas
import polars
import pyarrow
import pytest

import stepscope


@pytest.fixture(scope="module")
def straggling(run):
    return run.stragglers()


def test_a_report_holds_its_answer(straggling):
    assert (straggling.name, straggling.status, straggling.why) == ("stragglers", "ok", "")
    assert "Rank 2" in straggling.headline
    assert straggling.findings[0].hint and straggling.findings[0].impact > 0


def test_values_are_those_of_the_published_json(run):
    answer = run.analyze(["overview", "stragglers"])
    published = json.loads(answer.to_json())
    for expected in published["reports"]:
        report = answer[expected["analysis"]]
        assert report.metrics == {one["key"]: one["value"] for one in expected["metrics"]}
        for table in expected["tables"]:
            keys = [column["key"] for column in table["columns"]]
            assert report.table(table["key"]).to_dict() == {
                key: [row[i] for row in table["rows"]] for i, key in enumerate(keys)}


def test_tables_are_frames_of_pandas_polars_and_arrow(run):
    table = run.steps().table("steps")
    values = table.to_dict()
    frame = table.df()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == [column.key for column in table.columns]
    assert len(frame) == len(table) == table.arrow().num_rows == polars.DataFrame(table).height
    assert table.arrow().to_pydict() == values
    assert polars.DataFrame(table).to_dict(as_series=False) == values
    assert [None if pandas.isna(v) else v for v in frame["step"]] == values["step"]


def test_times_stay_whole_where_some_are_missing(run):
    missing = [(report.name, table, column) for report in run.analyze().values() for table in report.tables.values()
               for column in table.columns if column.unit == "ns" and None in table[column.key]
               and any(isinstance(value, int) for value in table[column.key])]
    assert missing, "some table has a time that is not known"
    for _, table, column in missing:
        assert str(table.df()[column.key].dtype) == "Int64"
        assert table.arrow().schema.field(column.key).type == pyarrow.int64()


def test_arrow_shares_the_memory(run):
    table = run.steps().table("steps")
    once, again = table.arrow()["step"].chunk(0), table.arrow()["step"].chunk(0)
    assert once.buffers()[1].address == again.buffers()[1].address


def test_columns_outlive_the_run_and_the_report(demo):
    with stepscope.open(demo) as run:
        arrow = run.steps().table("steps").arrow()
        stream = run.steps().table("steps").__arrow_c_stream__()
    assert arrow.num_rows > 0 and math.isfinite(arrow["step"][0].as_py())
    del stream  # released though nobody took it


def test_columns_say_their_unit_and_role(run):
    columns = {column.key: column for column in run.steps().table("steps").columns}
    assert columns["rank"].role == "key" and columns["step"].unit == ""
    assert any(column.unit == "ns" for column in columns.values())


def test_text_is_what_the_command_line_prints(demo, run, run_program):
    printed = run_program("analyze", demo, "--full").stdout
    # Parameters are options there.
    assert run.analyze().text(extent="all").replace("`groups`", "--groups") == printed
    assert str(run.idle_time()) == repr(run.idle_time()) and "idle" in repr(run.idle_time())


def test_the_summary_is_the_first_screen(demo, run, run_program):
    first = run_program("analyze", demo).stdout.splitlines()[1]
    assert first in repr(run.summary())
    assert len(repr(run.summary()).splitlines()) <= 45
    assert run.summary().findings[0].place == 1


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.seen, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in ("br", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "rect":
            assert self.open.pop() == tag


def test_html_is_well_formed_and_has_a_picture(run):
    for shown in (run.summary(), run.stragglers(), run.kernel_breakdown(), run.steps().table("steps")):
        tags = Tags(shown._repr_html_())
        assert tags.open == []
        assert "table" in tags.seen
    assert "svg" in Tags(run.kernel_breakdown()._repr_html_()).seen


def test_the_bars_of_a_report_are_times_and_named_by_what_differs(run):
    shown = run.idle_time()._repr_html_()
    assert 'aria-label="Main stream gaps: busy"' in shown and ">rank 2</text>" in shown


def test_names_from_traces_are_text_in_html(tmp_path):
    hostile = '<script>alert(1)</script>\u202e\x07"&'
    events = [{"ph": "X", "cat": "kernel", "name": hostile, "pid": 0, "tid": 7, "ts": at, "dur": 50,
               "args": {"stream": 7, "device": 0}} for at in range(0, 1000, 100)]
    (tmp_path / "rank0.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    with stepscope.open(tmp_path) as run:
        report = run.kernel_breakdown()
        shown = report._repr_html_() + report.table("kernels")._repr_html_()
        assert "script" not in Tags(shown).seen and "&lt;script&gt;" in shown
        assert "\u202e" not in shown and "\x07" not in shown and "\x07" not in repr(report)
        assert any("\u202e" in str(value) for table in report.tables.values() for column in table.to_dict().values()
                   for value in column), "the value itself is as the trace has it"


def test_what_is_not_valid_unicode_is_replaced(tmp_path):
    kernel = (b'{"ph":"X","cat":"kernel","name":"bad \xff\xc3 name","pid":0,"tid":7,"ts":%d,"dur":50,'
              b'"args":{"stream":7,"device":0}}')
    events = b",".join(kernel % at for at in range(0, 1000, 100))
    (tmp_path / "rank0.json").write_bytes(b'{"schemaVersion":1,"traceEvents":[' + events + b"]}")
    with stepscope.open(tmp_path) as run:
        tables = run.kernel_breakdown().tables.values()
        assert "bad ?? name" in run.kernel_breakdown().table("kernels")["name"]
        for table in tables:
            table.arrow().validate(full=True)
            polars.DataFrame(table)


def test_every_table_is_valid_arrow_and_a_frame(run):
    for report in run.analyze().values():
        report.text(extent="all")
        for table in report.tables.values():
            table.arrow().validate(full=True)
            assert len(table.df()) == len(table)


def test_figures(run):
    figure = run.kernel_breakdown().plot()
    assert figure.data and figure.layout.title.text
    assert run.queue_length().plot().data


def test_a_wrong_name_gets_the_nearest(run):
    report = run.steps()
    with pytest.raises(stepscope.QuestionError, match="did you mean 'steps'"):
        report.df("stepss")
    with pytest.raises(ValueError, match="no column 'stp'(.|\n)*did you mean 'step'"):
        report.table("steps")["stp"]


def test_without_the_optional_libraries(run, monkeypatch):
    import sys

    table = run.steps().table("steps")
    for name in ("pandas", "polars", "pyarrow", "plotly"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="pip install pandas"):
        table.df()
    with pytest.raises(ImportError, match="pip install pyarrow"):
        table.arrow()
    with pytest.raises(ImportError, match="pip install plotly"):
        run.steps().plot()
    assert table.to_dict()["step"]
    monkeypatch.delitem(sys.modules, "polars")
    assert isinstance(table.df(), polars.DataFrame)


def test_frames_of_the_library_that_is_asked_for(run):
    table = run.steps().table("steps")
    for library, kind in (("pandas", pandas.DataFrame), ("polars", polars.DataFrame), (None, pandas.DataFrame)):
        assert isinstance(table.df(library=library), kind) and isinstance(run.steps().df("steps", library=library), kind)
        assert isinstance(run.events(0, ["name"]).df(library=library), kind)
    with pytest.raises(stepscope.QuestionError, match="dask"):
        table.df(library="dask")


def test_the_summary_is_the_first_screen_in_html(run):
    shown = run.summary()
    screen, _, below = shown._repr_html_().partition("<details>")
    assert Tags(shown._repr_html_()).open == [] and len(screen) < 15_000
    assert screen.count("<li>") == min(3, len(shown.findings)) and "per step" in screen and "try: " in screen
    text = shown.text().splitlines()
    assert html.escape(text[0]) in screen and html.escape(shown.verdict) in screen
    drawn = [line for line in text if "█" in line or "▏" in line]
    assert screen.count("height:12px") >= len(drawn) > 2
    for line in drawn:
        assert html.escape(line.split("  ")[1].strip()) in screen, line
    assert [cell for cell in text[-1].split("  ") if html.escape(cell.strip()) not in screen] == []  # of the ranks
    assert below.count("<details>") == sum(report.status != "unavailable" for report in shown.values())


def test_a_comparison_has_both_runs_side_by_side_in_html(run):
    compared = stepscope.compare(run, run, steps_before=3, steps_after=4)
    screen = compared._repr_html_().partition("<details>")[0]
    parts = [line for line in compared.text().splitlines() if "█" in line]
    assert parts and screen.count("height:12px") >= 2 * len(parts)


def test_a_run_in_a_notebook_says_what_to_type(demo):
    with stepscope.open(demo) as opened:
        shown = opened._repr_html_()
        assert Tags(shown).open == []
        assert "run.summary()" in shown and "4 ranks" in shown and "0..3" in shown
    assert "closed" in opened._repr_html_()


def test_long_names_wrap_in_html(run):
    assert "overflow-wrap:anywhere" in run.kernel_breakdown()._repr_html_()
