#!/usr/bin/env bash
# `stepscope cluster slurm` on a real Slurm of three nodes: one shard is killed, a node is lost, a task is requeued, a file
# is removed. In the end the report and the partials are those of one process.
#
#   cluster_slurm.sh STEPSCOPE      exit 77: not run, and why
#
# Needs root and Debian's slurm-wlm and munge (own_slurm.sh). Takes about a minute, in which Slurm waits for the node.
set -euo pipefail
stepscope=$1
. "$(dirname "${BASH_SOURCE[0]}")/own_slurm.sh"

begin_slurm
start_slurm 3 "SlurmdTimeout=5
MaxArraySize=8"

fail() {
  echo "FAILED: $*" >&2
  tail -n 30 "$folder"/*/log/* >&2 2>/dev/null || true
  exit 1
}
says() {  # FILE TEXT
  grep -qF -- "$2" "$1" || fail "$1 does not say '$2': $(cat "$1")"
}
ids() { cat "$1/jobs.txt"; }
ended() {  # FOLDER: until its jobs have
  local end=$((SECONDS + 150))
  while [[ -n $(squeue -h --jobs="$(ids "$1")" 2>/dev/null) ]]; do
    ((SECONDS < end)) || fail "jobs do not end: $(squeue)"
    sleep 0.2
  done
  echo "the jobs of $1 ended after $SECONDS s"
}

# Traces of half a second each, so that tasks are caught at work, at a path that shells and Slurm would change.
job="the job's %j \"traces\""
"$stepscope" demo "$job" --ranks 6 --layers 2 --steps 3 --no-stacks --min-raw-bytes 100000000 >/dev/null
work='my work'

"$stepscope" cluster slurm "$job" -o "$work" --shards 3 --dry-run >dry.txt
says dry.txt '--array=0-2'
[[ ! -e $work ]] || fail "--dry-run made the directory"
! "$stepscope" cluster slurm "$job" -o "$work" --shards 3 -- --partition=nowhere 2>refused.txt || fail "no error"
says refused.txt 'invalid partition specified: nowhere'
! "$stepscope" cluster slurm "$job" -o "$work" --shards 9 2>refused.txt || fail "no error"
says refused.txt '1 to 8 shards'

# The pid of the process that maps a shard, stopped while it does.
catch() {  # SHARD
  local pid
  while ! pid=$(pgrep -f -- "stepscope map $folder/.* --shard $1/3 "); do sleep 0.01; done
  kill -STOP "$pid"
  echo "$pid"
}
of_slurm() { tr '\0' '\n' <"/proc/$1/environ" | sed -n "s/^$2=//p"; }  # PID VARIABLE

"$stepscope" cluster slurm "$job" -o "$work" --shards 3 >submitted.txt
cat submitted.txt
! "$stepscope" cluster slurm "$job" -o "$work" --shards 3 2>refused.txt || fail "it was submitted twice"
says refused.txt 'have not ended'
killed=$(catch 0) on_lost_node=$(catch 1) requeued=$(catch 2)
kill -KILL "$killed"
task=$(of_slurm "$requeued" SLURM_ARRAY_JOB_ID)_2  # the id of the job can be that of the array
scontrol requeue "$task"
node=$(of_slurm "$on_lost_node" SLURMD_NODENAME)
step_daemon=$(ps -o ppid= -p "$on_lost_node")
kill -KILL "$(cat "run/slurmd-$node.pid")" $step_daemon "$on_lost_node"
echo "shard 0 is killed, shard 1 lost $node, shard 2 is requeued as $task"
ended "$work"

# Only what was killed is missing, and leads the report.
says "$work/report.txt" '1 of 3 shards are missing (0)'
says "$work/log/reduce.txt" 'shard 0 is missing'
[[ $("$stepscope" missing "$work/part" --expect 3 || true) == 0 ]] || fail "others are missing"
rm "$work/part/shard-00002-of-00003.ranks.parquet"
"$stepscope" cluster slurm "$job" -o "$work" >again.txt
says again.txt 'shards 0,2;'
ended "$work"

# Another number of shards, in another order, and one process.
for shard in 3 1 0 2; do "$stepscope" map "$job" --shard $shard/4 -o four/part >/dev/null; done
"$stepscope" map "$job" --shard 0/1 -o one/part >/dev/null
"$stepscope" reduce one/part --expect 1 -o one.txt
"$stepscope" reduce four/part --expect 4 -o four.txt
cmp one.txt "$work/report.txt" || fail "the report is another one than that of one process"
cmp one.txt four.txt || fail "the report depends on the number of shards"
for folder_of in one four "$work"; do
  "$stepscope" merge "$folder_of/part" -o all.ranks.parquet >/dev/null
  cp all.ranks.parquet "merged-${folder_of// /-}"
done
cmp merged-one merged-my-work && cmp merged-one merged-four || fail "the partials are not the same"
grep -q 'rank' one.txt || fail "the report says nothing: $(cat one.txt)"

# All shards are there: only reduce runs. Other traces: all of it.
"$stepscope" cluster slurm "$job" -o "$work" --report again.json >again.txt
! grep -q '^map' again.txt || fail "it maps again: $(cat again.txt)"
ended "$work"
says again.json '"verdict"'
rm "$job/rank-5.pt.trace.json.gz"
"$stepscope" cluster slurm "$job" -o "$work" >again.txt -- --hold
says again.txt 'all is done again'
says again.txt 'shards 0;'

# Nodes that do not see the traces: the log says so, and reduce shows it.
mv "$job" elsewhere
scontrol release "$(ids "$work")"
ended "$work"
says "$work/log/reduce.txt" 'no such file or directory'
[[ ! -e $work/report.txt ]] || fail "a report of before is left"
echo "done in $SECONDS s"
