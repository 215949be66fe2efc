"""Reads the first screen of jobs with known faults: `jobs_check.py STEPSCOPE FOLDER [JOB...]`.

Of each job in FOLDER: the verdict and the findings before all tables, as `stepscope analyze` prints them.
The names of those that failed are left in FOLDER.failed.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# What the verdict or the first finding must say of a fault: the rank, since when, and what.
PLANTED = {
    "ddp_transform": ["rank 1", "since step 9", r"slow_transform \(torch_kinds\.py:\d+\)"],
    "ddp_loader": ["rank 1", "input|read_slowly"],
    "ddp_batch": ["rank 1", r"larger inputs \(\w+"],
    "fsdp_transform": ["rank 1", "since step 9", r"slow_transform \(torch_kinds\.py:\d+\)"],
    "pipeline_stage": ["rank 1", "since step 9", "layer_norm|LayerNorm"],
    "pipeline_transform": ["rank 1", "since step 9", r"slow_transform \(torch_kinds\.py:\d+\)"],
    "jax_slow_input": ["(rank|process) 1", r"input|read_batch"],
}
# The same, anywhere on the first screen: a trace of gloo does not name the group of a collective.
PLANTED_ANYWHERE = {"groups_loader": ["rank 1", "input|read_slowly"]}
RANKS = {"ddp": 2, "fsdp": 2, "pipeline": 3, "groups": 4, "jax": 2}
# What no healthy job may be told, however loaded this machine is: its processes do the same.
FALSE_ALARM = r"is a straggler since|larger inputs|more operators|slow_transform|read_slowly"


def paths_of(folder):
    processes = sorted(path for path in folder.iterdir() if path.is_dir())  # of JAX one each
    return [str(path) for path in processes or [folder]]


def first_screen(stepscope, folder):
    done = subprocess.run(
        [stepscope, "analyze", *paths_of(folder)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\nStep overview\n")[0]


def check_page(stepscope, folder):
    """The page has a timeline of all events, which the first screen needs not."""
    with tempfile.TemporaryDirectory() as scratch:
        page = pathlib.Path(scratch) / "page.html"
        done = subprocess.run(
            [stepscope, "report", *paths_of(folder), "-o", str(page)], capture_output=True, text=True
        )
        assert done.returncode == 0 and page.stat().st_size > 0, (done.returncode, done.stderr)


def first_finding(screen):
    verdict, _, findings = screen.partition("\nFindings\n")
    return " ".join((verdict + re.split(r"\n- ", findings.lstrip("- "))[0]).split())


def check(name, screen):
    ranks = RANKS[name.split("_")[0]]
    text = " ".join(screen.split())
    assert f"of {ranks} ranks" in text, f"not {ranks} ranks: {text}"
    assert re.search("% (compute|collectives|host compute)", text), f"nothing computes: {text}"
    if name.endswith("healthy"):
        assert not re.search(FALSE_ALARM, text), text
    for wanted in PLANTED_ANYWHERE.get(name, []):
        assert re.search(wanted, text, re.IGNORECASE), f"{wanted} is not in: {text}"
    for wanted in PLANTED.get(name, []):
        leads = first_finding(screen)
        assert re.search(wanted, leads, re.IGNORECASE), f"{wanted} is not in: {leads}"


def main(stepscope, folder, names):
    failed = []
    for name in names or sorted(path.name for path in pathlib.Path(folder).iterdir()):
        try:
            check(name, first_screen(stepscope, pathlib.Path(folder) / name))
            check_page(stepscope, pathlib.Path(folder) / name)
            print(f"interop: {name}: ok")
        except AssertionError as error:
            print(f"interop: {name}: FAILED: {error}")
            failed.append(name)
    pathlib.Path(f"{folder.rstrip('/')}.failed").write_text(" ".join(failed) + "\n")
    return 1 if failed else 0


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
