"""Asks `stepscope` about the profiles that were just recorded: `check.py STEPSCOPE FOLDER`."""

import json
import pathlib
import statistics
import subprocess
import sys

import original


class Answer:
    """What `stepscope analyze` says of a folder."""

    def __init__(self, stepscope, folder):
        done = subprocess.run(
            [stepscope, "analyze", str(folder), "--format", "json"], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        self.json = json.loads(done.stdout)

    def report(self, analysis):
        return next(r for r in self.json["reports"] if r["analysis"] == analysis)

    def metric(self, analysis, key):
        return next(m["value"] for m in self.report(analysis)["metrics"] if m["key"] == key)

    def rows(self, analysis, table):
        found = next(t for t in self.report(analysis)["tables"] if t["key"] == table)
        keys = [column["key"] for column in found["columns"]]
        return [dict(zip(keys, row)) for row in found["rows"]]

    def notes(self):
        return {note["name"]: note["count"] for note in self.json["run"]["notes"]}


def check_steps_add_up(answer):
    for step in answer.rows("overview", "steps"):
        whole = ("rank", "window", "step", "time", "typical")
        parts = [value for key, value in step.items() if key not in whole]
        assert sum(parts) == step["time"], step


def check_annotated_jax(answer):
    assert answer.metric("overview", "steps") == 8
    steps = [row["step"] for row in answer.rows("overview", "steps")]
    assert steps == list(range(10, 18)), steps
    assert answer.metric("input_pipeline", "classification") == "not input-bound"
    assert "steps_from_module" not in answer.notes()
    check_steps_add_up(answer)


def check_plain_jax(answer):
    assert answer.notes()["steps_from_module"] == 8, answer.notes()
    assert answer.metric("overview", "steps") == 8
    assert answer.metric("overview", "step_time_mean") > 0
    check_steps_add_up(answer)


def check_tensorflow(answer):
    assert answer.metric("overview", "steps") == 10
    assert answer.metric("input_pipeline", "classification") == "input-bound"
    assert answer.metric("input_pipeline", "input_ratio") > 0.5
    slowest = answer.metric("input_pipeline", "bottleneck")
    assert slowest.rsplit("::", 1)[-1].split("[")[0] in ("MapAndBatch", "Map"), slowest
    finding = answer.report("input_pipeline")["findings"][0]
    assert slowest in finding["because"] and "num_parallel_calls" in finding["try"], finding
    waited = sum(row["waited"] for row in answer.rows("input_pipeline", "stages"))
    steps = answer.metric("overview", "step_time_mean") * 10
    assert 0.5 * steps < waited < 1.05 * steps, (waited, steps)
    check_steps_add_up(answer)


def check_unmarked_tensorflow(answer):
    assert answer.metric("overview", "steps") == 10
    assert answer.notes()["steps_from_functions"] == 10, answer.notes()
    check_steps_add_up(answer)


def check_numbered_tensorflow(answer):
    assert answer.metric("overview", "steps") == 10
    steps = [row["step"] for row in answer.rows("overview", "steps")]
    assert steps == list(range(steps[0], steps[0] + 10)), steps
    assert "steps_from_functions" not in answer.notes()
    check_steps_add_up(answer)


# XProf leaves out the first and the last of more than 5 steps, writes ms, and knows picoseconds;
# on a host alone its step is the annotation, as ours is where steps do not overlap.
def compare_steps(answer, folder, numbers, parts, most=100):
    theirs = original.steps(folder)
    if theirs is None:
        return print("interop: XProf cannot be had: nothing was compared with it")
    assert list(theirs) == numbers, list(theirs)
    ours = {row["step"]: row for row in answer.rows("overview", "steps")}
    for number in numbers:
        for part, column in parts.items():
            difference = abs(theirs[number][column] * 1e6 - ours[number][part])
            assert difference <= most, (number, part, theirs[number][column], ours[number][part])
    print(f"interop: {len(numbers)} steps of {folder.name} compared with XProf")


# A step reaches to its last operation, which may end behind its annotation by a switch of threads.
def compare_annotated_jax(answer, folder):
    compare_steps(answer, folder, list(range(11, 17)), {"time": "stepTimeMs"}, 200_000)


def compare_plain_jax(answer, folder):
    compare_steps(answer, folder, [], {})  # it knows no steps that nothing marks


def compare_tensorflow(answer, folder):
    parts = {"time": "stepTimeMs", "input": "infeedTimeMs"}
    compare_steps(answer, folder, list(range(1, 9)), parts)


# The program's own clock is read at the end of each step, with Python between the two ends.
# After the last call nothing says that the loop waited once more.
def compare_truth(answer, folder):
    known = slice(1, -1) if folder.name == "tensorflow_waits" else slice(1, None)
    told = [row["time"] for row in answer.rows("overview", "steps")][known]
    true = json.loads(pathlib.Path(f"{folder}.truth.json").read_text())[: len(told)]
    assert len(told) == len(true), (told, true)
    for ours, theirs in zip(told, true):
        assert abs(ours - theirs) <= 0.1 * theirs + 2e6, (told, true)
    middle = statistics.median(told) / 1e6, statistics.median(true) / 1e6
    print("interop: {}: step time {:.1f} ms told, {:.1f} ms true".format(folder.name, *middle))
    compare_steps(answer, folder, [], {})  # XProf knows no steps that nothing marks as roots


def programs_of(answer):
    rows = answer.rows("programs", "programs")
    return {row["program"]: row for row in rows if row["space"] == 0}


# A program's number is its recording's own.
def program_named(programs, function):
    return next(row for name, row in programs.items() if name.startswith(f"jit_{function}("))


def check_programs(answer):
    programs = programs_of(answer)
    assert program_named(programs, "train")["aliased"] > 0, programs
    for row in answer.rows("programs", "at_peak"):
        own = row["framework_op"] and "/" in row["framework_op"]
        assert not own or "record_programs.py:" in (row["source"] or ""), row


# XLA counts the body of a loop once, though it knows that it turns five times, and the pointers of
# tuples and the whole table that a gather picks from as bytes. Its peak on a host leaves temporaries
# out, as XProf does.
TURNS = 5


def compare_programs(answer, folder):
    programs = programs_of(answer)
    truth = json.loads(pathlib.Path(f"{folder}.truth.json").read_text())
    for function, told in truth.items():
        ours = program_named(programs, function)
        for key in ("arguments", "outputs", "temporaries", "aliased"):
            assert ours[key] == told[key], (function, key, ours[key], told[key])
        turns = TURNS if function == "turns" else 1
        for key in ("flops", "transcendentals"):
            assert ours[key] == told[key] * turns, (function, key, ours[key], told[key])
        if function not in ("turns", "pick"):
            assert 0 <= told["bytes"] - ours["bytes"] <= 64, (function, ours["bytes"], told["bytes"])
    print(f"interop: {len(truth)} programs of {folder.name} compared with XLA's own analysis")
    theirs = original.memory(folder, programs)
    if theirs is None:
        return print("interop: XProf cannot be had: nothing was compared with it")
    for name, row in programs.items():
        peak = row["peak"] - (0 if row["peak_at"] else row["temporaries"])
        for key, value in {**row, "peak": peak}.items():
            if key in theirs[name]:
                assert round(theirs[name][key]) == value, (name, key, theirs[name][key], value)
    print(f"interop: memory of {len(programs)} programs of {folder.name} compared with XProf")


# A recorded profile of an H100: XProf weighs elementwise operations of GPUs, others are equal.
def check_gpu_programs(answer):
    train = program_named(programs_of(answer), "train")
    assert train["peak_at"] == "loop_convert_fusion", train


def compare_gpu_programs(answer, folder):
    theirs = original.memory(folder, ["jit_train(4639)"])
    if theirs is None:
        return print("interop: XProf cannot be had: nothing was compared with it")
    ours = program_named(programs_of(answer), "train")
    for key, value in theirs["jit_train(4639)"].items():
        assert round(value) == ours[key], (key, value, ours[key])
    for operation, told in original.costs(folder).items():
        row = next(r for r in answer.rows("hlo_operators", "top") if r["hlo_op"] == operation)
        read = row["byte_rate"] * row["self"] / 1e9 / row["occurrences"]
        assert abs(read - told["bytes"]) < 1e-3 * read, (operation, read, told)
    print(f"interop: memory and bytes of {folder.name} compared with XProf")


CHECKS = {
    "programs": (check_programs, compare_programs),
    "../../tests/data/h100/jax_unmarked": (check_gpu_programs, compare_gpu_programs),
    "jax_annotated": (check_annotated_jax, compare_annotated_jax),
    "jax_plain": (check_plain_jax, compare_plain_jax),
    "tensorflow": (check_tensorflow, compare_tensorflow),
    "tensorflow_loop": (check_unmarked_tensorflow, compare_truth),
    "tensorflow_waits": (check_unmarked_tensorflow, compare_truth),
    "tensorflow_fit": (check_unmarked_tensorflow, compare_truth),
    "tensorflow_tensorboard": (check_numbered_tensorflow, compare_truth),
}


def main(stepscope, folder):
    failed = 0
    for name, (check, compare) in CHECKS.items():
        try:
            profile = pathlib.Path(folder) / name
            answer = Answer(stepscope, profile)
            check(answer)
            compare(answer, profile)
            print(f"interop: {name}: ok")
        except (AssertionError, KeyError, StopIteration) as error:
            print(f"interop: {name}: FAILED: {error!r}")
            failed += 1
    return 1 if failed else 0


sys.exit(main(sys.argv[1], sys.argv[2]))
