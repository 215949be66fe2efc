#!/usr/bin/env bash
# Which shard `stepscope map --shard auto` takes, in each way that a real Slurm, and MPI on its nodes, starts processes.
#
#   shard_auto.sh STEPSCOPE      exit 77: not run, and why
#
# Needs root and Debian's slurm-wlm and munge (own_slurm.sh); Open MPI and MPICH are asked where they are.
set -euo pipefail
stepscope=$1
. "$(dirname "${BASH_SOURCE[0]}")/own_slurm.sh"

begin_slurm
start_slurm 2 "LaunchParameters=use_interactive_step
DefMemPerNode=10"
"$stepscope" demo traces --ranks 4 --layers 2 --steps 3 --no-stacks >/dev/null

# What a process maps, as a line: "1 of 2", or why it does not know.
cat >maps <<END
#!/bin/bash
out=\$(mktemp -d "$folder/part-XXXXXX")
if "$stepscope" map "$folder/traces" "\$@" -o "\$out" >"\$out/said" 2>&1; then
  ls "\$out" | sed -n 's/shard-0000\(.\)-of-0000\(.\).ranks.parquet/\1 of \2/p'
else
  head -n 1 "\$out/said"
fi
END
chmod +x maps
nobody='stepscope: nothing says which shard this is: it runs under no known launcher'

failed=0
expect() {  # WHAT EXPECTED GOT: lines in any order
  if [[ $(sort <<<"$3") == $(sort <<<"$2") ]]; then
    echo "$1: ${3//$'\n'/, }"
  else
    echo "FAILED: $1: '$3' is not '$2'" >&2
    failed=1
  fi
}
batch() {  # SBATCH_OPTION... COMMAND: what it prints
  local id
  id=$(sbatch --parsable -o "$folder/printed-%A" --open-mode=append "${@:1:$#-1}" --wrap "${!#}")
  while [[ -n $(squeue -h --jobs="$id" 2>/dev/null) ]]; do sleep 0.1; done
  cat "$folder/printed-$id"
}
shell() {  # SALLOC_OPTION...: what a person sees who types it in the shell that salloc opens, which is $SHELL
  printf '%s\n' "$folder/maps" exit | SHELL=/bin/bash script -qc "salloc -q $*" /dev/null | tr -d '\r' |
    grep -oE 'stepscope: .*|[0-9] of [0-9]' || true
}

expect "an array of two" $'0 of 2\n1 of 2' "$(batch --array=0-1 "$folder/maps")"
expect "again for two of four" $'1 of 4\n3 of 4' "$(batch --array=1,3 "$folder/maps --shards 4")"
expect "a batch script of one task" "$nobody" "$(batch -n1 "$folder/maps")"
expect "a batch script of two tasks" "$nobody" "$(batch -N2 -n2 "$folder/maps")"
expect "srun of two" $'0 of 2\n1 of 2' "$(srun -N2 -n2 maps)"
expect "srun in a batch script" $'0 of 2\n1 of 2' "$(batch -N2 -n2 "srun $folder/maps")"
expect "srun of one" "0 of 1" "$(srun -n1 maps)"
expect "srun of one in a job of two" "0 of 1" "$(batch -N2 -n2 "srun -N1 -n1 $folder/maps")"
expect "srun of one, of four shards" "$nobody" "$(srun -n1 maps --shards 4)"
expect "srun of one in an array" "1 of 2" "$(batch --array=1 "srun $folder/maps --shards 2")"
both='stepscope: a Slurm array and srun both say which shard this is'
expect "srun of two in an array" "$both"$'\n'"$both" "$(batch --array=0 -N2 -n2 "srun $folder/maps")"
expect "a shell of salloc" "$nobody" "$(shell -N2 -n2)"
expect "a shell of salloc with one task" "0 of 1" "$(shell -n1)"
expect "srun with PMI" $'0 of 2\n1 of 2' "$(srun --mpi=pmi2 -N2 -n2 maps)"

# A job that is submitted from within a task inherits its number: Slurm leaves no way to tell.
expect "from within an array" "1 of 2" "$(batch --array=1 "sbatch -W -o $folder/inner --wrap '$folder/maps --shards 2' >/dev/null & wait; cat $folder/inner")"

if command -v mpirun.openmpi >/dev/null; then
  mpi="mpirun.openmpi --allow-run-as-root --oversubscribe"
  expect "Open MPI on two nodes" $'0 of 2\n1 of 2' "$(batch -N2 -n2 "$mpi $folder/maps")"
  expect "Open MPI, two on each node" $'0 of 4\n1 of 4\n2 of 4\n3 of 4' \
    "$(batch -N2 -n2 "$mpi -n 4 --map-by ppr:2:node $folder/maps")"
  expect "Open MPI of one" "0 of 1" "$(batch -n1 "$mpi -n 1 $folder/maps")"
  both='stepscope: a Slurm array and Open MPI both say which shard this is'
  expect "Open MPI in an array" "$both"$'\n'"$both" "$(batch --array=0 "$mpi -n 2 $folder/maps")"
  expect "Open MPI of one in an array" "1 of 2" "$(batch --array=1 "$mpi -n 1 $folder/maps --shards 2")"
else
  echo "there is no mpirun.openmpi: Open MPI is not asked"
fi
if command -v mpiexec.hydra >/dev/null; then
  expect "MPICH, two on each node" $'0 of 4\n1 of 4\n2 of 4\n3 of 4' \
    "$(batch -N2 -n2 "timeout 30 mpiexec.hydra -n 4 $folder/maps")"
else
  echo "there is no mpiexec.hydra: MPICH is not asked"
fi
echo "done in $SECONDS s"
exit $failed
