"""SQL about a run, and its tables as Parquet."""
import pandas
import polars
import pyarrow.feather
import pytest

import stepscope
from conftest import program


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sql") / "job"
    assert program("demo", folder, "--ranks", 3, "--steps", 4, "--layers", 4).returncode == 0
    return folder


def asked(run, statement, **options):
    try:
        return run.sql(statement, **options)
    except stepscope.QuestionError as error:
        if "DuckDB" in str(error):
            pytest.skip(str(error))
        raise


def test_rows_are_what_tables_return(job):
    with stepscope.open(job) as run:
        rows = asked(run, "SELECT name, count(*) AS n, sum(duration) AS total FROM kernels GROUP BY name ORDER BY 3 DESC")
        frame = rows.df(library="pandas")
        assert len(rows) == len(frame) and list(frame.columns) == ["name", "n", "total"]
        top = run.report("kernels").table("top").df(library="pandas")
        assert frame.total.iloc[0] == top.total.iloc[0]
        assert polars.DataFrame(rows)["n"].sum() == len(run.events(None, ["name"], kind="kernel"))


def test_mistakes_are_questions(job):
    with stepscope.open(job) as run:
        asked(run, "SELECT 1")
        with pytest.raises(stepscope.QuestionError, match="nme"):
            run.sql("SELECT nme FROM events")
        with pytest.raises(stepscope.QuestionError, match="only ask"):
            run.sql("CREATE TABLE t AS SELECT 1")
        with pytest.raises(stepscope.QuestionError, match="took longer"):
            run.sql("WITH RECURSIVE t AS (SELECT 1 UNION ALL FROM t) SELECT count(*) FROM t", timeout=0.3)


def test_files_are_read_by_pandas_polars_and_pyarrow(job, tmp_path):
    done = program("query", job, "SELECT *, kind = 'compute' AS computes FROM kernels", "-o", tmp_path / "kernels.arrow")
    if "DuckDB" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    assert program("export", job, "-o", tmp_path / "tables", "--parquet").returncode == 0
    table = pyarrow.feather.read_table(tmp_path / "kernels.arrow")
    table.validate(full=True)
    assert table["computes"].type == pyarrow.bool_()
    parquet = pandas.read_parquet(tmp_path / "tables/events")
    assert set(parquet["rank"]) == {0, 1, 2}
    kernels = parquet[parquet.kind.isin(["compute", "communication"])]
    assert kernels.duration.sum() == polars.read_ipc(tmp_path / "kernels.arrow")["duration"].sum()
    for file in (tmp_path / "tables").glob("*.parquet"):
        assert len(pandas.read_parquet(file)) == len(polars.read_parquet(file)), file
