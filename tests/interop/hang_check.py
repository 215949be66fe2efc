"""Asks about jobs that hang on purpose: `hang_check.py STEPSCOPE FOLDER [CASE...]`, after hang_jobs.py.

Of each case in FOLDER the roots must be those ranks that were made to fail, by the right reason: with the stacks beside the
dumps, and without them as far as dumps can tell.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Ranks, reason with stacks, reason without, and what the first sentence must say with stacks.
EXPECTED = {
    "late_host": ([2], "host_not_arrived", "host_not_arrived", "late_in_python"),
    "input": ([1], "host_not_arrived", "host_not_arrived", "read_input"),
    "killed": ([1], "dump_missing", "dump_missing", "left no dump"),
    "message_cycle": ([0, 1], "point_to_point_cycle", "host_not_arrived", "rank 1 in recv at hang_jobs.py"),
    "operation": ([3], "operation_mismatch", "operation_mismatch", "all_gather"),
    "shape": ([3], "shape_mismatch", "shape_mismatch", "[[1048576]]"),
    "type": ([3], "type_mismatch", "type_mismatch", "Double"),
    "one_of_two_groups": ([3], "host_not_arrived", "host_not_arrived", "late_in_python"),
    "order_of_groups": ([0, 1, 2, 3], "collective_cycle", "collective_cycle", "different orders"),
}


def answer_on(stepscope, folder):
    done = subprocess.run([stepscope, "hang", str(folder), "--world-size", "4", "--format", "json"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def roots_of(answer):
    table = next(table for table in answer["reports"][0]["tables"] if table["key"] == "roots")
    names = [column["key"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def problem_of(stepscope, folder, expected):
    ranks, with_stacks, without, words = expected
    answer = answer_on(stepscope, folder)
    if words not in answer["verdict"]:
        return f"the verdict lacks {words}: {answer['verdict']}"
    with tempfile.TemporaryDirectory() as dumps:
        for dump in folder.glob("rank_*"):
            shutil.copy(dump, dumps)
        for reason, roots in ((with_stacks, roots_of(answer)), (without, roots_of(answer_on(stepscope, dumps)))):
            told = [(root["rank"], root["reason"]) for root in roots]
            if told != [(rank, reason) for rank in ranks]:
                return f"roots are {told}, not {ranks} by {reason}"
    return ""


def main():
    stepscope, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = 0
    for case in sys.argv[3:] or EXPECTED:
        problem = problem_of(stepscope, folder / case, EXPECTED[case])
        failed += bool(problem)
        print(f"hang {case}: {problem or 'ok'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
