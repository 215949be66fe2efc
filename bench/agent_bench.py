#!/usr/bin/env python3
"""How many of 40 questions an assistant can answer with `brief`, `show` and `table` alone, each within 2,000 tokens.

    agent_bench.py [STEPSCOPE] [--only ID] [--verbose]

The questions and the fixed commands that lead to each answer are in agent_questions.json, the demo jobs they ask about
are generated here (seeded), shared traces are those beside the repository (skipped where there are none). The true
answers come from agent_truth.py, which reads truth.json or the traces themselves. Exit 1 below 95 %.
"""
import argparse
import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import agent_truth

ROOT = Path(__file__).resolve().parent.parent
BUDGET = 2000  # tokens for all commands of a question, of four bytes each
ENOUGH = 0.95
COMMANDS = ("brief", "show", "table")


def folder_of(job, jobs, stepscope):
    """Where the traces are; None: not on this machine. Demo jobs are generated once a run."""
    spec = jobs[job]
    if "shared" in spec:
        folder = ROOT.parent / "shared" / "traces" / spec["shared"]
        return folder if folder.exists() else None
    folder = ROOT / "build" / "agent-bench" / job
    if spec.setdefault("made", False) is False:
        subprocess.run([stepscope, "demo", folder, *shlex.split(spec["demo"])], check=True, stdout=subprocess.DEVNULL)
        spec["made"] = True
    return folder


def ask(stepscope, folder, commands):
    """Runs the commands one after another; `{name}` stands for what an earlier one's `keep` found. The texts."""
    kept, texts = {}, []
    for command in commands:
        line = command["run"] if isinstance(command, dict) else command
        words = [word.format(**kept) for word in shlex.split(line)]
        assert words[0] in COMMANDS, words
        # show ID PATH, table NAME PATH, brief PATH.
        at = 1 if words[0] == "brief" else 2
        run = subprocess.run([stepscope, *words[:at], folder, *words[at:]], capture_output=True, text=True)
        texts.append(run.stdout + run.stderr)
        for name, pattern in (command.get("keep", {}) if isinstance(command, dict) else {}).items():
            found = re.search(pattern, texts[-1])
            kept[name] = found.group(1) if found else "nothing"
    return texts


def cells(table, column):
    """The column's cells of CSV as `table` prints it."""
    # Behind the rows: "5 of 5 matching rows shown, of 37 in all".
    rows = [row for row in csv.reader(io.StringIO(table)) if not re.match(r"\d+ of \d+ ", row[0] if row else "")]
    keys = [key.split("[")[0] for key in rows[0]] if rows else []
    return [row[keys.index(column)] for row in rows[1:] if len(row) == len(keys)] if column in keys else []


def read(text, how):
    """The answer in the last text: a pattern's group, a cell of the first row, or the sum of a column."""
    if "pattern" in how:
        found = re.search(how["pattern"], text)
        return found.group(1) if found else None
    if "absent" in how:
        return "none" if how["absent"] not in text else how["absent"]
    values = cells(text, how.get("cell") or how["sum"])
    if "sum" in how:
        return str(sum(int(value) for value in values)) if values else None
    return values[0] if values else None


def same(answer, truth):
    if answer is None:
        return False
    if isinstance(truth, float):
        return abs(float(answer) - truth) <= 1e-9 * abs(truth)
    if isinstance(truth, int):
        return answer.replace(",", "") == str(truth)
    shown = str(truth)
    if "…" in answer:  # a long name, cut in the middle
        begin, end = answer.split("…")
        return len(shown) > 90 and shown.startswith(begin) and shown.endswith(end)
    return answer == shown


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("stepscope", nargs="?", default=ROOT / "build" / "release" / "stepscope")
    options.add_argument("--only", help="the question of this id")
    options.add_argument("--verbose", action="store_true", help="every answer, and what was printed where it is wrong")
    given = options.parse_args()
    data = json.loads((Path(__file__).parent / "agent_questions.json").read_text())
    reached, tokens, skipped, missed = 0, [], [], []
    for question in data["questions"]:
        if given.only and question["id"] != given.only:
            continue
        folder = folder_of(question["job"], data["jobs"], given.stepscope)
        if folder is None:
            skipped.append(question["id"])
            continue
        function, *arguments = question["truth"]
        truth = getattr(agent_truth, function)(str(folder), *arguments)
        texts = ask(given.stepscope, folder, question["ask"])
        used = sum(len(text.encode()) for text in texts) / 4
        answer = read(texts[-1], question["read"])
        good = same(answer, truth) and used <= BUDGET
        reached += good
        tokens.append(used)
        if not good:
            missed.append(question["id"])
        if given.verbose or not good:
            print(f"{'ok' if good else 'MISSED'} {question['id']}: {question['question']} {answer!r}, true {truth!r},"
                  f" {used:.0f} tokens")
            if given.verbose and not good:
                print("\n".join(texts))
    asked = len(tokens)
    if not asked:
        sys.exit("no question was asked")
    print(f"{reached} of {asked} answers reachable within {BUDGET} tokens ({100 * reached / asked:.0f} %); tokens used:"
          f" mean {sum(tokens) / asked:.0f}, max {max(tokens):.0f}")
    if skipped:
        print(f"{len(skipped)} skipped, whose shared traces are not on this machine: {', '.join(skipped)}")
    return 0 if reached >= ENOUGH * asked else 1


if __name__ == "__main__":
    sys.exit(main())
