#!/usr/bin/env bash
# Compares worker processes with threads of one process.
#
#   scaling.sh ATROPOS RUNS N PROGRAM [OPTIONS...]
#   scaling.sh --head
#
# `check --jobs N` and `serve` with N workers of one thread each explore the whole program, by turns, RUNS times. Prints
# one row of a table: the medians of both times, their ratio (1 is as fast as threads), and what the last `serve` has
# needed: records, bytes for each, and the processor time of the leader and the server. Both times are those of the
# exploration (`explore_us`): for workers, from the moment when the first of them has joined. --head prints the head of
# the table. nats-server must be in PATH.
set -euo pipefail
if [ "${1:-}" = --head ]; then
	echo "| program | N | runs | threads, s | workers, s | ratio | records | bytes for each | leader and server, s |"
	echo "|---|---|---|---|---|---|---|---|---|"
	exit
fi
atropos=$(realpath "$1") runs=$2 n=$3
shift 3
program=("$@")
folder=$(mktemp -d)
server_file=$folder/store/nats.pid
# Ends what is left.
end() {
	local processes
	processes=$(jobs -p; cat "$server_file" 2>/dev/null || true)
	[ -z "$processes" ] || kill -9 $processes 2>/dev/null || true
	rm -rf "$folder"
}
trap end EXIT
fail() { echo "scaling.sh: $*" >&2; exit 1; }

# Runs `check`, and leaves its report.
check() { "$atropos" check --format json --jobs "$n" "${program[@]}" >"$folder/check-$1" 2>"$folder/err" || fail "$(cat "$folder/err")"; }

# Runs `serve` with workers that wait for it, and leaves its report, its progress and the server's processor time.
serve() {
	local port leader server ticks=0 t
	rm -rf "$folder/store" "$folder/lines"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	for _ in $(seq "$n"); do "$atropos" work --jobs 1 --wait 60 "nats://127.0.0.1:$port" >/dev/null 2>&1 & done
	"$atropos" serve --format json --listen "127.0.0.1:$port" --store "$folder/store" --progress "$folder/lines" \
		"${program[@]}" >"$folder/serve-$1" 2>"$folder/err" &
	leader=$!
	while kill -0 $leader 2>/dev/null; do
		server=$(cat "$server_file" 2>/dev/null) || server=
		t=$(awk '{ print $14 + $15 }' "/proc/${server:-none}/stat" 2>/dev/null) && ticks=${t:-$ticks}
		sleep 0.1
	done
	wait $leader || fail "$(cat "$folder/err")"
	wait
	echo "$ticks" >"$folder/ticks"
}

for run in $(seq "$runs"); do check "$run" && serve "$run"; done
python3 - "$folder" "$n" "$runs" "${program[0]}" <<'P'
import json, statistics, sys
folder, n, runs, program = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
read = lambda name: json.load(open(f"{folder}/{name}"))
checks, serves = ([read(f"{kind}-{run}") for run in range(1, runs + 1)] for kind in ("check", "serve"))
totals = {report["executions"] + report["blocked"] for report in checks + serves}
assert len(totals) == 1, f"the totals differ: {totals}"
last = json.loads(open(f"{folder}/lines").read().splitlines()[-1])
check, serve = (statistics.median(report["explore_us"] for report in reports) / 1e6 for reports in (checks, serves))
cpu = serves[-1]["explore_cpu_us"] / 1e6 + int(open(f"{folder}/ticks").read()) / 100
size = last["log_bytes"] / max(1, last["parts_done"])
print(f"| {program} | {n} | {runs} | {check:.2f} | {serve:.2f} | {check / serve:.2f} | {last['parts_done']} | {size:.0f} | {cpu:.2f} |")
P
