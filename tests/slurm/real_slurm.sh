#!/usr/bin/env bash
# A real Slurm with accounting on this host, a job that is requeued, and what stepscope makes of it.
#
#   real_slurm.sh STEPSCOPE      exit 77: not run, and why
#
# Needs root and Debian's slurm-wlm, slurmdbd, slurm-wlm-mysql-plugin, munge and mariadb-server; all it
# makes and starts is in one temporary folder and gone at the end. Takes about 25 s.
set -euo pipefail
stepscope=$1

skip() {
  echo "skipped: $*"
  exit 77
}
[[ $(id -u) -eq 0 ]] || skip "Slurm's daemons want root"
for program in slurmctld slurmd slurmdbd munged mariadbd mariadb-install-db sacct; do
  command -v $program >/dev/null || skip "there is no $program"
done
id mysql >/dev/null 2>&1 || skip "there is no user mysql"

folder=$(mktemp -d)
chmod 755 "$folder"
stop() {
  for file in "$folder"/run/*.pid "$folder"/db/mysql.pid; do
    # A daemon that is gone already must not end this before the others are told.
    [[ ! -e $file ]] || kill "$(cat "$file")" 2>/dev/null || true
  done
  sleep 1
  rm -rf "$folder"
}
trap stop EXIT
cd "$folder"
mkdir -p state spool/n1 spool/n2 log run db

# What does not come up within a minute says nothing of stepscope.
wait_for() {  # WHAT COMMAND...
  local what=$1 end=$((SECONDS + 60))
  shift
  while ((SECONDS < end)); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  tail -n 5 log/* >&2
  skip "Slurm gave no $what within a minute"
}

head -c 64 /dev/urandom >munge.key
chmod 400 munge.key
munged --force --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" \
  --pid-file="$folder/run/munged.pid" --log-file="$folder/log/munged" \
  --seed-file="$folder/run/munge.seed"
chown mysql db
mariadb-install-db --user=mysql --datadir="$folder/db" \
  --auth-root-authentication-method=normal >log/install 2>&1
port=$((20000 + RANDOM % 12000))  # below those that the system gives to clients
setsid mariadbd --user=mysql --datadir="$folder/db" --socket="$folder/db/mysql.sock" \
  --bind-address=127.0.0.1 --port=$port --pid-file="$folder/db/mysql.pid" \
  --innodb-buffer-pool-size=64M >log/mariadb 2>&1 &
sql() { timeout 10 mariadb -S "$folder/db/mysql.sock" -u root -e "$1"; }
wait_for database sql "select 1"
sql "create database slurm_acct_db; create user slurm@'127.0.0.1' identified by 'x';
     create user slurm@localhost identified by 'x';
     grant all on slurm_acct_db.* to slurm@'127.0.0.1'; grant all on slurm_acct_db.* to slurm@localhost"

cat >slurmdbd.conf <<END
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.sock
DbdHost=localhost
DbdPort=$((port + 1))
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$port
StorageUser=slurm
StoragePass=x
LogFile=$folder/log/slurmdbd
PidFile=$folder/run/slurmdbd.pid
END
chmod 600 slurmdbd.conf
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$((port + 2))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.sock,cred_expire=5
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd-%n
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=2
SelectType=select/linear
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=$((port + 1))
AccountingStoragePass=$folder/run/munge.sock
JobRequeue=1
NodeName=n[1-2] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$((port + 3))-$((port + 4))] CPUs=1 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$folder/slurm.conf
slurmdbd
wait_for slurmdbd timeout 10 sacctmgr -n list cluster
sacctmgr -i add cluster test >/dev/null 2>&1 || true
slurmctld -c
slurmd -N n1
slurmd -N n2
idle() { [[ $(timeout 10 sinfo -h -o '%T %D') == 'idle 2' ]]; }
wait_for nodes idle

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
