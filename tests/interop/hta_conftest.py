"""What HTA's tests need around them: stepscope.hta in place of HTA, and skips where traces are missing.

hta_tests.py copies this file beside the tests as conftest.py. The tests import three things that are no part of what they
test here: the folder of their data, HTA's choice of a JSON parser, and the classes of its graph's nodes and edges.
"""
import enum
import importlib.util
import inspect
import os
import sys
import types
from pathlib import Path

import pytest

SOURCE = Path(os.environ["TEST_DATA_PREFIX_PATH"])

# What the tests call an opened trace, and the folder it is in.
NEEDS = {
    "vision_transformer": "vision_transformer", "self.inference_t": "inference_single_rank",
    "df_index_resolver_t": "df_index_resolver", "h100_trace_t": "h100", "mtia_single_rank_trace_t": "mtia_trace_single_rank",
    "ns_resolution_t": "ns_resolution_trace", "rank_non_gpu_t": "rank_non_gpu", "amd_trace": "amd_trace",
    "event_sync_multi_stream_trace": "critical_path/cuda_event_sync_multi_stream",
}


class ParserBackend(enum.Enum):
    JSON = 1
    IJSON_BATCH_AND_COMPRESS = 2


def parser_module() -> types.ModuleType:
    module = types.ModuleType("hta.common.trace_parser")
    module.ParserBackend = ParserBackend
    module._auto_detect_parser_backend = lambda: ParserBackend.JSON
    module.get_default_trace_parsing_backend = module._auto_detect_parser_backend
    module.set_default_trace_parsing_backend = lambda backend: None
    return module


def data_module() -> types.ModuleType:
    path = SOURCE / "hta-of-the-sdist" / "utils" / "test_utils.py"
    spec = importlib.util.spec_from_file_location("hta.utils.test_utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def put_stepscope_in_place() -> None:
    import stepscope.hta

    stepscope.hta.install(strict=os.environ["STEPSCOPE_TESTS_ON"] == "strict")
    import hta.analyzers.critical_path_analysis as path_module

    for name in ("CPEdge", "CPEdgeType", "CPNode", "CriticalPathAnalysis", "restore_cpgraph"):
        setattr(path_module, name, type(name, (), {}))
    sys.modules["hta.common.trace_parser"] = parser_module()
    sys.modules["hta.utils.test_utils"] = data_module()
    import hta.common.trace
    import hta.trace_analysis  # noqa: F401


if os.environ["STEPSCOPE_TESTS_ON"] != "hta":
    put_stepscope_in_place()


def pytest_collection_modifyitems(items) -> None:
    for item in items:
        text = inspect.getsource(inspect.unwrap(item.function))
        for word, folder in NEEDS.items():
            if word in text and not (SOURCE / "tests" / "data" / folder).is_dir():
                item.add_marker(pytest.mark.skip(reason=f"no traces in {folder}"))
