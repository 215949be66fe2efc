"""Compares what Stepscope tells about jobs with what happened: `goodput_check.py STEPSCOPE FOLDER [JOB...]`.

Every second must be in its bucket, within 1 % of the job's time. The names of the jobs that failed are left in
FOLDER.failed.
"""

import json
import pathlib
import re
import subprocess
import sys

import goodput_truth

TOLERANCE = 0.01  # of the job's time
# Buckets that may go by several names: time in steps beyond the usual.
ALIASES = {"SLOW_OR_HUNG": r"SLOW|HUNG|HANG"}

# What must be told of each job: restarts, the last step, words of findings, and why attempts ended.
EXPECTED = {
    "torch": {"disruptions": 4, "last_step": 29, "findings": [r"[Hh]ung.{0,80} step 22"],
              "causes": {1: r"^killed without a word \(rank 2\)", 2: r"^exception RuntimeError: planted.*\(rank 1\)",
                         3: r"^announced: SIGTERM", 4: r"^hang: rank 1 alone told no timeout, others: .*[Tt]imed out"}},
    "jax": {"disruptions": 1, "last_step": 15, "findings": [], "causes": {1: r"^killed without a word \(rank 1\)"}},
}


def ask(stepscope, *words):
    done = subprocess.run([stepscope, "goodput", *words, "--format", "json"], capture_output=True, text=True)
    assert done.returncode == 0, f"goodput {' '.join(words)}: {done.stderr}"
    return json.loads(done.stdout)


def rows(report, key):
    table = next(t for t in report["tables"] if t["key"] == key)
    names = [column["key"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def bucket_of(name):
    return next((bucket for bucket, names in ALIASES.items() if re.search(names, name)), name)


def metric(report, key):
    return next((m["value"] for m in report["metrics"] if m["key"] == key), None)


def compare(told, truth):
    """Sentences about buckets that differ."""
    total = sum(truth.values())
    for bucket in sorted({*told, *truth}):
        says, was = told.get(bucket, 0), truth.get(bucket, 0)
        if abs(says - was) > TOLERANCE * total:
            yield f"{bucket}: told {says:.2f} s, true {was:.2f} s"
    if abs(sum(told.values()) - total) > TOLERANCE * total:
        yield f"all: told {sum(told.values()):.2f} s, true {total:.2f} s"


def check_recipe(stepscope, folder):
    """Sentences about what is wrong: it was stopped after a notice, lost nothing, and ended."""
    answer = ask(stepscope, "analyze", "--store", str(folder / "events"))
    report = next(r for r in answer["reports"] if r["analysis"] == "goodput")
    told = {row["bucket"]: row["ratio"] for row in rows(report, "buckets")}
    for key, says, was in [("job", answer["run"]["name"], "nlp/llm-7b"),
                           ("attempts", len(rows(report, "attempts")), 2),
                           ("disruptions", metric(report, "disruptions"), 1),
                           ("last kept step", metric(report, "max_productive_step"), 399)]:
        if says != was:
            yield f"{key}: told {says}, true {was}"
    if told.get("WASTED_PROGRESS_FROM_DISRUPTION", 0) > TOLERANCE:
        yield f"steps are lost: {told}"
    for bucket in ("UNPRODUCTIVE_CHECKPOINT_SAVE_TIME", "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME", "PRODUCTIVE",
                   "TPU_INITIALIZATION", "CUSTOM"):
        if bucket not in told:
            yield f"no time in {bucket}: {told}"
    if not any("SIGTERM" in str(row["cause"]) for row in rows(report, "disruptions")):
        yield f"the notice is not told: {rows(report, 'disruptions')}"
    fleet = ask(stepscope, "fleet", "--store", str(folder / "events"))["reports"][0]
    if [row["group"] for row in rows(fleet, "groups")] != ["nlp"]:
        yield f"the fleet is not of the team: {rows(fleet, 'groups')}"


def check(stepscope, name, folder):
    """Sentences about what is wrong."""
    attempts = goodput_truth.read(folder)
    truth = goodput_truth.buckets(attempts)
    answer = ask(stepscope, "analyze", "--store", str(folder / "events"))
    report = next(r for r in answer["reports"] if r["analysis"] == "goodput")
    told = {}
    for row in rows(report, "buckets"):
        bucket = bucket_of(row["bucket"])
        told[bucket] = told.get(bucket, 0) + row["time"] / 1e9
    yield from compare(told, truth)
    expected = EXPECTED[name]
    for key, says, was in [("attempts", len(rows(report, "attempts")), len(attempts)),
                           ("disruptions", metric(report, "disruptions"), expected["disruptions"]),
                           ("last kept step", metric(report, "max_productive_step"), expected["last_step"])]:
        if says != was:
            yield f"{key}: told {says}, true {was}"
    findings = " ".join(f["message"] + " " + f["because"] for f in report["findings"])
    for wanted in expected["findings"]:
        if not re.search(wanted, findings):
            yield f"no finding says '{wanted}': {findings}"
    causes = {row["attempt"]: row["cause"] for row in rows(report, "disruptions")}
    for attempt, wanted in expected["causes"].items():
        if not re.search(wanted, causes.get(attempt, "")):
            yield f"attempt {attempt} ended by '{causes.get(attempt)}', not '{wanted}'"
    jobs = rows(ask(stepscope, "jobs", "--store", str(folder / "events"))["reports"][0], "jobs")
    if len(jobs) != 1 or abs(jobs[0]["goodput_ratio"] - metric(report, "goodput_ratio")) > 1e-9:
        yield f"jobs tells {jobs}, analyze {metric(report, 'goodput_ratio')}"


def main(stepscope, folder, names):
    failed = []
    for name in names or sorted(path.name for path in pathlib.Path(folder).iterdir()):
        one = pathlib.Path(folder) / name
        try:
            wrong = list(check_recipe(stepscope, one) if name == "recipe" else check(stepscope, name, one))
        except (AssertionError, OSError, StopIteration, KeyError) as error:
            wrong = [f"no answer: {error!r}"]
        print(f"interop: goodput of {name}: {'FAILED' if wrong else 'ok'}", *wrong, sep="\n  ", flush=True)
        failed += [name] if wrong else []
    pathlib.Path(f"{str(folder).rstrip('/')}.failed").write_text(" ".join(failed) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
