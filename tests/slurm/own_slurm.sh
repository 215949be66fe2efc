# A Slurm of its own on this host, for the tests beside it, which source this. All that it makes and starts is in one
# temporary folder, in which the test then is, and gone at the end.
#
#   begin_slurm PROGRAM...    the folder and munge; exit 77 where it cannot run, or one of the programs is missing
#   begin_accounting          slurmdbd on a MariaDB, before start_slurm
#   start_slurm NODES [LINE]  the controller and so many nodes, with these lines in slurm.conf as well
#   wait_for WHAT COMMAND...  until the command succeeds; exit 77 after a minute
#
# Needs root and Debian's slurm-wlm and munge.

skip() {
  echo "skipped: $*"
  exit 77
}

stop() {
  local file
  for file in "$folder"/run/*.pid "$folder"/db/mysql.pid; do
    # A daemon that is gone already must not end this before the others are told.
    [[ ! -e $file ]] || kill "$(cat "$file")" 2>/dev/null || true
  done
  sleep 1
  rm -rf "$folder"
}

# What does not come up within a minute says nothing of stepscope.
wait_for() {
  local what=$1 end=$((SECONDS + 60))
  shift
  while ((SECONDS < end)); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  tail -n 5 log/* >&2
  skip "Slurm gave no $what within a minute"
}

begin_slurm() {
  [[ $(id -u) -eq 0 ]] || skip "Slurm's daemons want root"
  local program
  for program in slurmctld slurmd munged "$@"; do
    command -v "$program" >/dev/null || skip "there is no $program"
  done
  folder=$(mktemp -d)
  chmod 755 "$folder"
  trap stop EXIT
  cd "$folder"
  mkdir -p state log run db
  port=$((20000 + RANDOM % 12000))  # below those that the system gives to clients
  accounting=AccountingStorageType=accounting_storage/none
  head -c 64 /dev/urandom >munge.key
  chmod 400 munge.key
  munged --force --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" \
    --pid-file="$folder/run/munged.pid" --log-file="$folder/log/munged" \
    --seed-file="$folder/run/munge.seed"
}

sql() { timeout 10 mariadb -S "$folder/db/mysql.sock" -u root -e "$1"; }

begin_accounting() {
  chown mysql db
  mariadb-install-db --user=mysql --datadir="$folder/db" \
    --auth-root-authentication-method=normal >log/install 2>&1
  setsid mariadbd --user=mysql --datadir="$folder/db" --socket="$folder/db/mysql.sock" \
    --bind-address=127.0.0.1 --port=$port --pid-file="$folder/db/mysql.pid" \
    --innodb-buffer-pool-size=64M >log/mariadb 2>&1 &
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
  accounting="AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=$((port + 1))
AccountingStoragePass=$folder/run/munge.sock"
}

write_slurm_conf() {  # NODES LINES
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
$accounting
JobRequeue=1
$2
NodeName=n[1-$1] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$((port + 3))-$((port + 2 + $1))] CPUs=1 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

start_slurm() {
  local nodes=$1 node
  write_slurm_conf "$nodes" "${2:-}"
  export SLURM_CONF=$folder/slurm.conf
  if [[ -e slurmdbd.conf ]]; then
    slurmdbd
    wait_for slurmdbd timeout 10 sacctmgr -n list cluster
    sacctmgr -i add cluster test >/dev/null 2>&1 || true
  fi
  slurmctld -c
  for ((node = 1; node <= nodes; ++node)); do
    mkdir -p "spool/n$node"
    slurmd -N "n$node"
  done
  nodes_are_idle() { [[ $(timeout 10 sinfo -h -o '%T %D') == "idle $nodes" ]]; }
  wait_for nodes nodes_are_idle
}
