#!/usr/bin/env bash
# Kills the processes of a check, again and again, and compares the totals.
#
#   kill.sh ATROPOS KILLS SERVER_KILLS EXECUTIONS JOBS PROGRAM [OPTIONS...]
#
# First a check with a checkpoint and JOBS threads is killed (kill -9) until it was killed KILLS times; a check that has
# come to its end before that starts with a new file. Then the same with four workers of `atropos serve`, one killed at
# a time, and SERVER_KILLS times the server. Every check that ends must have EXECUTIONS executions, complete and
# blocked.
set -euo pipefail
atropos=$(realpath "$1") kills=$2 server_kills=$3 expected=$4 jobs=$5
shift 5
folder=$(mktemp -d)
here=$PWD
# Ends what is left.
end() {
	local processes
	processes=$(jobs -p; cat "$folder/store/nats.pid" 2>/dev/null || true)
	[ -z "$processes" ] || kill -9 $processes 2>/dev/null || true
	rm -rf "$folder"
}
trap end EXIT

fail() { echo "kill.sh: $*" >&2; exit 1; }
# The executions in a report, complete and blocked.
total() { python3 -c 'import json,sys; o=json.load(open(sys.argv[1])); print(o["executions"]+o["blocked"])' "$1"; }
# A random time up to $1 seconds.
pause() { sleep "$(awk -v seed=$RANDOM -v most="$1" 'BEGIN { srand(seed); print 0.05 + rand() * most }')"; }
is_running() { kill -0 "$1" 2>/dev/null; }

n=0 ended=0
while [ $n -lt "$kills" ] || [ $ended -eq 0 ]; do
	"$atropos" check --format json --jobs "$jobs" --checkpoint "$folder/c" "$@" >"$folder/out" 2>"$folder/err" &
	check=$!
	if [ $n -lt "$kills" ]; then pause 1; fi
	if [ $n -lt "$kills" ] && is_running $check; then
		kill -9 $check && n=$((n + 1))
		wait $check 2>/dev/null || true
		continue
	fi
	wait $check || fail "the check fails: $(cat "$folder/err")"
	[ "$(total "$folder/out")" = "$expected" ] || fail "$(total "$folder/out") executions after $n kills, not $expected"
	ended=$((ended + 1))
	rm -f "$folder/c"
done
echo "$*: killed $n times, $ended checks ended with $expected executions"

# Starts the worker with this number.
worker() { "$atropos" work --jobs 1 "$url" >"$folder/worker-$1" 2>&1 & workers[$1]=$!; }
# Whether one of the workers has not left.
has_worker() {
	for worker in "${workers[@]}"; do if is_running "$worker"; then return 0; fi; done
	return 1
}
n=0 m=0 ended=0
while [ $n -lt "$kills" ] || [ $m -lt "$server_kills" ] || [ $ended -eq 0 ]; do
	# Without the file, the address of the last leader is not taken for that of this one.
	rm -rf "$folder/store" "$folder/err"
	"$atropos" serve --format json --listen 127.0.0.1:0 --store "$folder/store" --lease 2 "$@" \
		>"$folder/out" 2>"$folder/err" &
	leader=$!
	until url=$(sed -n 's/.*`atropos work \(.*\)`.*/\1/p' "$folder/err" 2>/dev/null) && [ -n "$url" ]; do
		is_running $leader || fail "the leader ends: $(cat "$folder/err")"
		sleep 0.05
	done
	workers=()
	for nth in 0 1 2 3; do worker $nth; done
	while is_running $leader; do
		if [ $n -ge "$kills" ] && [ $m -ge "$server_kills" ]; then
			sleep 0.1
			# The leader waits until they have heard that the check is over.
			if has_worker || ! { sleep 5 && is_running $leader; }; then continue; fi
			fail "all workers have left: $(tail -n 1 "$folder"/worker-*)"
		fi
		pause 0.4
		if [ $n -lt "$kills" ] && is_running $leader; then
			nth=$((RANDOM % 4))
			kill -9 "${workers[$nth]}" 2>/dev/null && n=$((n + 1))
			wait "${workers[$nth]}" 2>/dev/null || true
			worker $nth
		fi
		if [ $m -lt "$server_kills" ] && [ $((m * kills)) -le $((n * server_kills)) ] && is_running $leader; then
			kill -9 "$(cat "$folder/store/nats.pid")" 2>/dev/null && m=$((m + 1))
		fi
	done
	wait $leader || fail "the leader fails: $(cat "$folder/err")"
	[ "$(total "$folder/out")" = "$expected" ] || fail "$(total "$folder/out") executions after $n kills, not $expected"
	ended=$((ended + 1))
	for worker in "${workers[@]}"; do kill -9 "$worker" 2>/dev/null || true; wait "$worker" 2>/dev/null || true; done
done
echo "$*: $n workers and $m servers killed, $ended checks ended with $expected executions"
cd "$here"
