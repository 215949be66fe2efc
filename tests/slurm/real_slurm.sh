#!/usr/bin/env bash
# A real Slurm with accounting on this host, a job that is requeued, and what stepscope makes of it.
#
#   real_slurm.sh STEPSCOPE      exit 77: not run, and why
#
# Needs root and Debian's slurm-wlm, slurmdbd, slurm-wlm-mysql-plugin, munge and mariadb-server (own_slurm.sh).
# Takes about 25 s.
set -euo pipefail
stepscope=$1
. "$(dirname "${BASH_SOURCE[0]}")/own_slurm.sh"

begin_slurm slurmdbd mariadbd mariadb-install-db sacct
id mysql >/dev/null 2>&1 || skip "there is no user mysql"
begin_accounting
start_slurm 2

state_is() { [[ $(timeout 10 sacct -X -n -j "$job" -o State | tail -n 1 | tr -d ' ') == "$1" ]]; }
job=$(sbatch --parsable -J train -N2 --requeue -o /dev/null --wrap 'sleep 4')
wait_for "running job" state_is RUNNING
scontrol requeue "$job"
wait_for "job that runs again" state_is RUNNING
wait_for "end of the job" state_is COMPLETED
sacct -D -X --parsable2 --format=JobID,JobName,State,Submit,Eligible,Start,End,Suspended,ReqTRES,NNodes >sacct.txt
scontrol show job >scontrol.txt
cat sacct.txt

# Every incarnation is there, and the time in which the job had its nodes is Slurm's own.
for file in sacct.txt scontrol.txt; do
  "$stepscope" goodput analyze --scheduler $file --scheduler-job train --format json >report.json
  python3 - $file <<'END'
import json, subprocess, sys
report = next(r for r in json.load(open("report.json"))["reports"] if r["analysis"] == "productivity")
table = next(t for t in report["tables"] if t["key"] == "scheduling")
times = {row[0]: row[1] / 1e9 for row in table["rows"]}
elapsed = [int(line) for line in subprocess.run(
    ["sacct", "-D", "-X", "-n", "--format=ElapsedRaw", "--name=train"],
    capture_output=True, text=True, check=True).stdout.split()]
expected = sum(elapsed) if sys.argv[1] == "sacct.txt" else elapsed[-1]
assert len(elapsed) == 2, elapsed
assert times["all"] == expected, (times, elapsed)
print(sys.argv[1], times)
END
done
