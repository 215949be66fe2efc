"""Runs HTA's own tests, unchanged, on stepscope.hta: `hta_tests.py DATA`, with the Python that has stepscope.

DATA is a folder of the traces that HTA's tests read: its repository's tests/data, or a folder with the names in PLACES. The
tests come from HTA's sdist on PyPI. Tests of traces that DATA lacks are skipped. Prints each test's outcome and compares it
with the bar: 90% of the tests of methods, and each test of the critical path that is about results. `--on strict` runs them
with strict=True, `--on hta` on HTA itself, where that is installed.

Ends with 77 where DATA or PyPI is not there.
"""
from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

SDIST = "traceinsight==0.6.1"
MODULES = ["test_trace_analysis", "test_trace_diff", "test_memory_analysis", "test_cupti_profiler"]
CRITICAL_PATH = "test_critical_path_analysis"
BAR = 0.9
SKIPPED = 77

# What HTA's tests call a folder of traces, and what it may also be called.
PLACES = {
    "ns_resolution_trace": "ns_resolution", "negative_queue_length_values_check": "queue_length",
    "rank_non_gpu": "rank_non_gpu", "cupti_profiler": "cupti_profiler", "memory_analysis": "memory",
    "trace_compare": "trace_compare", "trace_diff": "trace_diff", "amd_trace": "amd_mi250",
    "vision_transformer": "vision_transformer", "inference_single_rank": "inference_single_rank",
    "df_index_resolver": "df_index_resolver", "h100": "h100", "mtia_trace_single_rank": "mtia_trace_single_rank",
    **{f"critical_path/{name}": f"critical_path/{name}"
       for name in ("simple_add", "alexnet", "cuda_event_sync", "cuda_event_sync_multi_stream", "end_to_end")},
}

# Tests of the critical path that ask for results: the others look into HTA's graph.
RESULTS = {
    "test_critical_path_analysis_returns_none_for_invalid_annotation", "test_critical_path_analysis_return_type_optional",
    "test_summary_asserts_breakdown_not_none", "test_ns_resolution_trace", "test_amd_trace",
}

CONFTEST = Path(__file__).with_name("hta_conftest.py")


def main() -> int:
    args = parsed()
    if not args.data.is_dir():
        return skipped(f"there is no folder {args.data}")
    with tempfile.TemporaryDirectory() as folder:
        source = downloaded(Path(folder))
        if source is None:
            return skipped(f"{SDIST} could not be downloaded from PyPI")
        place_data(args.data, source / "tests" / "data")
        outcomes = run(source, args.on)
    return verdict(outcomes)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--on", choices=["stepscope", "strict", "hta"], default="stepscope")
    return parser.parse_args()


def skipped(why: str) -> int:
    print(f"hta_tests: SKIPPED: {why}")
    return SKIPPED


def downloaded(folder: Path) -> Path | None:
    """The sdist, unpacked. None without PyPI."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps", SDIST]
    if subprocess.run(command, cwd=folder, stderr=subprocess.DEVNULL).returncode != 0:
        return None
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / archive.name[:-len(".tar.gz")]


def place_data(data: Path, target: Path) -> None:
    """Puts the folders where the tests look for them."""
    for name, other in PLACES.items():
        found = next((path for path in (data / name, data / other) if path.is_dir()), None)
        if found is not None:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).symlink_to(found.resolve())


def run(source: Path, on: str) -> list[tuple[str, str, str]]:
    """(module, test, outcome) of each test."""
    tests = source / "tests"
    shutil.copy(CONFTEST, tests / "conftest.py")
    if on != "hta":
        (source / "hta").rename(source / "hta-of-the-sdist")
    outcome = tests / "outcome.xml"
    environment = {**os.environ, "TEST_DATA_PREFIX_PATH": str(source), "STEPSCOPE_TESTS_ON": on}
    files = [str(tests / f"{module}.py") for module in (*MODULES, CRITICAL_PATH)]
    subprocess.run([sys.executable, "-m", "pytest", "-q", "--disable-warnings", "--tb=short", "-p", "no:cacheprovider",
                    f"--junitxml={outcome}", *files], cwd=source, env=environment)
    return [(case.get("classname", "").split(".")[-2], case.get("name", ""), outcome_of(case))
            for case in xml.parse(outcome).iter("testcase")]


def outcome_of(case: xml.Element) -> str:
    if case.find("skipped") is not None:
        return "skipped"
    return "failed" if case.find("failure") is not None or case.find("error") is not None else "passed"


def verdict(outcomes: list[tuple[str, str, str]]) -> int:
    methods = [outcome for module, _, outcome in outcomes if module in MODULES and outcome != "skipped"]
    paths = {test: outcome for module, test, outcome in outcomes if module == CRITICAL_PATH}
    for module, test, outcome in outcomes:
        print(f"{outcome:8} {module}::{test}")
    passed = methods.count("passed")
    print(f"methods: {passed} of {len(methods)} tests that can run pass")
    wrong = sorted(test for test in RESULTS if paths.get(test) == "failed")
    print(f"critical path: {list(paths.values()).count('passed')} of {len(paths)} pass; "
          f"of {len(RESULTS)} about results fail: {', '.join(wrong) or 'none'}")
    return 0 if methods and passed >= BAR * len(methods) and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
