#!/usr/bin/env bash
# A real PostgreSQL on this host's loopback, and the tests that want one (goodput_postgres_test.cc).
#
#   real_postgres.sh TESTS               exit 77: not run, and why
#   real_postgres.sh TESTS COMMAND...    runs the command instead, where there is no server without one
#
# Needs Debian's postgresql; all it makes and starts is in one temporary folder and gone at the end.
set -euo pipefail
tests=$1
shift

command=("$@")
skip() {
  echo "skipped: $*"
  [[ ${#command[@]} -eq 0 ]] || exec "${command[@]}"
  exit 77
}
# The newest of Debian's servers; without one the pattern stays as it is, and is not executable.
bins=(/usr/lib/postgresql/*/bin)
bin=$(printf '%s\n' "${bins[@]}" | sort -V | tail -n 1)
[[ -x $bin/initdb ]] || bin=$(dirname "$(command -v initdb || echo /none/initdb)")
[[ -x $bin/initdb && -x $bin/pg_ctl ]] || skip "there is no PostgreSQL server (Debian: postgresql)"

# The server refuses to be root.
as_user=()
if [[ $(id -u) -eq 0 ]]; then
  id postgres >/dev/null 2>&1 || skip "there is no user postgres"
  as_user=(setpriv --reuid postgres --regid postgres --clear-groups)
fi

folder=$(mktemp -d)
[[ ${#as_user[@]} -eq 0 ]] || chown postgres "$folder"
chmod 755 "$folder"
stop() {
  "$folder/ctl" stop -m immediate >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT
cd "$folder"

port=$((20000 + RANDOM % 20000))
# Without fsync: what is killed here are processes, and the kernel lives on.
cat >ctl <<END
#!/bin/sh
exec ${as_user[*]} "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 \\
  -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c shared_buffers=32MB -c fsync=off" "\$@"
END
chmod 755 ctl
echo "pass%word" >password
"${as_user[@]}" "$bin/initdb" -D "$folder/data" -U tester -A scram-sha-256 -E UTF8 --locale=C \
  --pwfile="$folder/password" >initdb.log 2>&1 || { cat initdb.log && exit 1; }
./ctl start >start.log 2>&1 || { cat start.log log && exit 1; }

export STEPSCOPE_POSTGRES="postgresql://tester:pass%25word@127.0.0.1:$port/postgres"
export STEPSCOPE_POSTGRES_CTL=$folder/ctl
if [[ ${#command[@]} -gt 0 ]]; then
  status=0
  "${command[@]}" || status=$?
  exit "$status"
fi
"$tests" --gtest_filter='GoodputPostgres*' --gtest_brief=1
