"""Runs ml-goodput-measurement's own tests, unchanged, on the modules that stand in for that library.

    ml_goodput_tests.py STEPSCOPE FOLDER

Its sdist comes from PyPI into FOLDER; without it this ends with 77. Those that fail must be the ones below,
each with its reason, which docs/coming-from-ml-goodput.md repeats.
"""
import os
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SDIST = "ml-goodput-measurement==0.2.3"
TESTS = 119
HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent / "python"

_THREADS = "uploaders are threads; the test replaces multiprocessing.Process and multiprocessing.Event"
EXPECTED = {
    "GoodputMonitorTests.test_multiprocess_goodput_monitor_start_and_stop": _THREADS,
    "GoodputMonitorTests.test_multiprocess_goodput_monitor_start_and_stop_skip_final_flush": _THREADS,
    "GoodputMonitorTests.test_multiprocess_goodput_monitor_stop_override_skip_final_flush": _THREADS,
    "GoodputMonitorTests.test_stop_goodput_uploader_joins_with_custom_final_flush_timeout": _THREADS,
}


def fetch(folder: Path) -> bool:
    """Puts the library's tests into FOLDER/tests; returns whether PyPI has given them."""
    done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps",
                           "-d", folder, SDIST], check=False)
    found = list(folder.glob("ml_goodput_measurement-*.tar.gz"))
    if done.returncode != 0 or not found:
        return False
    with tarfile.open(found[0]) as sdist:
        sdist.extractall(folder / "sdist", filter="data")
    shutil.rmtree(folder / "tests", ignore_errors=True)
    shutil.copytree(next((folder / "sdist").glob("*/ml_goodput_measurement/tests")), folder / "tests")
    return True


def run(stepscope: str, folder: Path) -> ElementTree.Element:
    """Returns pytest's results."""
    environment = dict(os.environ, STEPSCOPE_BINARY=stepscope, PYTHONPATH="{}:{}".format(HERE, PACKAGE))
    for name in ("STEPSCOPE_GOODPUT_DIR", "STEPSCOPE_GOODPUT_LOG", "STEPSCOPE_LABELS"):
        environment.pop(name, None)
    results = folder / "results.xml"
    results.unlink(missing_ok=True)
    with open(folder / "pytest.log", "w", encoding="utf-8") as log:
        subprocess.run([sys.executable, "-m", "pytest", "-p", "ml_goodput_plugin", "-p", "no:cacheprovider", "-q",
                        "--junit-xml", results, "tests"], cwd=folder, env=environment, stdout=log, stderr=log,
                       check=False)
    if not results.exists():
        sys.exit("pytest did not run: see {}/pytest.log".format(folder))
    return ElementTree.parse(results).getroot()


def outcomes(results: ElementTree.Element) -> dict:
    """Returns by "Class.test" whether it passed."""
    return {"{}.{}".format(case.get("classname").rpartition(".")[2], case.get("name")):
            case.find("failure") is None and case.find("error") is None for case in results.iter("testcase")}


def main(stepscope: str, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    if not fetch(folder):
        print("SKIPPED: PyPI has not given", SDIST)
        return 77
    results = run(stepscope, folder)
    cases = len(list(results.iter("testcase")))
    failed = {name for name, passed in outcomes(results).items() if not passed}
    wrong = ["fails, and did not: " + name for name in sorted(failed - EXPECTED.keys())]
    wrong += ["passes now; strike it off the list: " + name for name in sorted(EXPECTED.keys() - failed)]
    if cases != TESTS:
        wrong.append("{} tests ran, not {}".format(cases, TESTS))
    print("ml-goodput-measurement's tests: {} of {} pass".format(cases - len(failed), cases))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    if wrong:
        print("see {}/pytest.log".format(folder))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()))
