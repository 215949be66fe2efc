"""What editors and type checkers read agrees with the extension module."""
from importlib.resources import files

import stepscope.analyses


def test_the_declared_methods_are_those_of_the_core():
    declared = files("stepscope").joinpath("analyses.pyi").read_text()
    assert declared == stepscope.analyses.declarations(), "run: python -m stepscope.analyses > python/stepscope/analyses.pyi"


def test_the_package_is_typed():
    assert files("stepscope").joinpath("py.typed").is_file()
