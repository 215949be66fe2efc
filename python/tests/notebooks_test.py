"""Tests of docs/notebooks: as they lie in the tree they have no output, and what they name exists.

`./dev notebooks` runs them.
"""
import ast
import json
import re
from pathlib import Path

import pytest

import stepscope

FOLDER = Path(__file__).parents[2] / "docs/notebooks"
NAMES = sorted(path.name for path in FOLDER.glob("*.ipynb"))


def cells(name):
    return json.loads((FOLDER / name).read_text())["cells"]


def code(name):
    return ["".join(cell["source"]) for cell in cells(name) if cell["cell_type"] == "code"]


def test_there_are_six():
    assert len(NAMES) == 6


@pytest.mark.parametrize("name", NAMES)
def test_without_output(name):
    """Output would differ with each run, and hide in a review. `jupyter nbconvert --clear-output --inplace` removes it."""
    for cell in cells(name):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, cell["id"]
        assert cell["metadata"] == {}, cell["id"]


@pytest.mark.parametrize("name", NAMES)
def test_opens_with_a_question(name):
    first = cells(name)[0]
    assert first["cell_type"] == "markdown"
    assert re.search(r"^\*\*[^*]+\?\*\*$", "".join(first["source"]), re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_cells_are_few_and_short(name):
    assert 8 <= len(code(name)) <= 15
    assert all(source.count("\n") < 22 for source in code(name))


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name):
    texts = "".join("".join(cell["source"]) for cell in cells(name) if cell["cell_type"] == "markdown")
    for target in re.findall(r"\]\(([^)#]+)\)", texts) + re.findall(r"`(profiles/[^`]+)`", texts):
        assert (FOLDER / target).exists(), target


def test_every_analysis_that_a_notebook_asks_for_exists():
    known = set(stepscope.analyses()) | {name for name in dir(stepscope.Run) if not name.startswith("_")}
    asked = set()
    for name in NAMES:
        for source in code(name):
            tree = ast.parse("\n".join(line for line in source.splitlines() if not line.startswith("!")))
            known |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}  # their own analyses
            asked |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
                      and isinstance(node.value, ast.Name) and node.value.id == "run"}
    assert len(asked) > 10 and asked <= known


def test_stored_profiles_open():
    with stepscope.open(FOLDER / "profiles/jax", progress=False) as run:
        assert "load_batch" in run.overview().headline
    with stepscope.open(FOLDER / "profiles/tensorflow", progress=False) as run:
        assert run.input_pipeline().findings
