"""Tests that HTA's methods draw figures, and return the same with and without them."""
import builtins

import pytest

import hta_traces

pd = pytest.importorskip("pandas")
from stepscope.hta import TraceAnalysis, TraceDiff, figures  # noqa: E402


@pytest.fixture()
def shown(monkeypatch):
    """The titles of the figures that are shown."""
    go = pytest.importorskip("plotly.graph_objects")
    titles = []
    monkeypatch.setattr(go.Figure, "show", lambda fig, *_, **__: titles.append(fig.layout.title.text))
    return titles


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("job")
    for rank in (0, 1):
        hta_traces.write(folder, rank=rank)
    return TraceAnalysis(trace_dir=str(folder))


CALLS = {
    "get_temporal_breakdown": 1, "get_comm_comp_overlap": 1, "get_gpu_kernel_breakdown": 1 + 3 + 4,
    "get_gpu_user_annotation_breakdown": 2, "get_idle_time_breakdown": 1, "get_cuda_kernel_launch_stats": 3,
    "get_potential_stragglers": 1,
}


def tables(answer):
    """The frames of an answer as lists of values."""
    parts = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, tuple) else [answer]
    return [part.fillna(-1).values.tolist() if isinstance(part, pd.DataFrame) else part for part in parts]


@pytest.mark.parametrize("method", CALLS)
def test_figures(job, shown, method):
    ask = getattr(job, method)
    drawn = ask(visualize=True)
    assert len(shown) == CALLS[method], shown
    assert all(shown)
    assert tables(ask(visualize=False)) == tables(drawn)
    assert len(shown) == CALLS[method]


def test_figures_of_sequences_and_operators(job, shown, tmp_path):
    job.get_frequent_cuda_kernel_sequences("aten::mm", str(tmp_path), min_pattern_len=1, visualize=True)
    job.get_aten_op_kernels_and_delay()
    assert [title.split()[0] for title in shown] == ["Top", "ATen"]


def test_figures_of_a_comparison(tmp_path, shown):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        hta_traces.write(tmp_path / name)
    df = TraceDiff.compare_traces(str(tmp_path / "a"), str(tmp_path / "b"))
    TraceDiff.visualize_counts_diff(df)
    TraceDiff.visualize_duration_diff(df)
    TraceDiff.visualize_duration_diff(df, show_image=False)
    assert shown == ["Ops Count Comparison", "Ops Duration Comparison"]


def test_without_plotly(job, monkeypatch, caplog):
    real = builtins.__import__

    def none(name, *args, **kwargs):
        if name.startswith("plotly"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", none)
    assert len(job.get_temporal_breakdown()) == 2
    assert "install plotly" in caplog.text
    with pytest.raises(ImportError, match="pip install plotly"):
        figures.memory([], [], [])
