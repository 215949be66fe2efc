"""What editors and type checkers read agrees with the extension module."""
from importlib.resources import files

from stepscope import _methods


def test_the_declared_methods_are_those_of_the_core():
    declared = files("stepscope").joinpath("_methods.pyi").read_text()
    assert declared == _methods.declarations(), "run: python -m stepscope._methods > python/stepscope/_methods.pyi"


def test_the_package_is_typed():
    assert files("stepscope").joinpath("py.typed").is_file()
