"""Runs the code of docs/cookbook-events.md, on a small trace."""
import re
from pathlib import Path

import pytest

import hta_traces

pd = pytest.importorskip("pandas")
import stepscope  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "cookbook-events.md"


def test_cookbook(tmp_path):
    pytest.importorskip("plotly")
    from stepscope.hta import TraceAnalysis

    hta_traces.write(tmp_path)
    page = PAGE.read_text().replace('"traces/"', repr(str(tmp_path))).replace("550", "2").replace("aten::linear", "aten::mm")
    blocks = [code for code in re.findall(r"```python\n(.*?)```", page, re.S) if "et.json" not in code]
    assert len(blocks) >= 6
    seen = {"pd": pd, "stepscope": stepscope, "TraceAnalysis": TraceAnalysis}
    for code in blocks:
        exec(code, seen)
        if "index" not in seen:
            seen["index"] = int(seen["ev"].index[seen["ev"]["name"] == "aten::mm"][0])
    names = seen["ev"]["name"]
    assert names[seen["children"]["index"]].tolist() == ["cudaLaunchKernel"] * 2
    assert names[seen["work"]["index"]].tolist() == [hta_traces.GEMM, hta_traces.ADD]
    assert names[seen["stack"](seen["ev"], seen["index"])["index"]].tolist() == ["ProfilerStep#1", "aten::mm"]
    assert len(seen["kernels"]) == 6
    assert sorted(seen["pairs"]["delay"])[:3] == [3000] * 3
