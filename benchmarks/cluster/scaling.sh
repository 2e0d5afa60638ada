#!/usr/bin/env bash
# Compares worker processes with threads of one process.
#
#   scaling.sh ATROPOS SECONDS "16 8 4 2 1" PROGRAM [OPTIONS...]
#
# For each number, `check --jobs N` and `serve` with N workers of one thread each explore the whole program, by turns,
# twice if the first time took less than ten seconds. A row has the best times of both, their ratio (1 is as fast as
# threads), and what the fastest `serve` has needed: records, bytes for each, and the processor time of the leader and
# the server. No number is started that would end after SECONDS, as far as the times so far can tell. nats-server must
# be in PATH.
set -euo pipefail
atropos=$(realpath "$1") seconds=$2 numbers=$3
shift 3
folder=$(mktemp -d)
server_file=$folder/store/nats.pid
trap 'kill -9 $(jobs -p) 2>/dev/null; [ -f "$server_file" ] && kill -9 "$(cat "$server_file")" 2>/dev/null; rm -rf "$folder"' EXIT
fail() { echo "scaling.sh: $*" >&2; exit 1; }

# Runs `check` with $1 threads, and leaves its report.
check() { "$atropos" check --format json --jobs "$1" "${program[@]}" >"$folder/check-$2" 2>"$folder/err" || fail "$(cat "$folder/err")"; }

# Runs `serve` with $1 workers, and leaves its report, its last progress and the server's processor time in ticks.
serve() {
	rm -rf "$folder/store"
	"$atropos" serve --format json --listen 127.0.0.1:0 --store "$folder/store" --progress "$folder/lines-$2" \
		"${program[@]}" >"$folder/serve-$2" 2>"$folder/err" &
	local leader=$! url server ticks=0 t
	until url=$(sed -n 's/.*`atropos work \(.*\)`.*/\1/p' "$folder/err") && [ -n "$url" ]; do
		kill -0 $leader 2>/dev/null || fail "$(cat "$folder/err")"
		sleep 0.01
	done
	for _ in $(seq "$1"); do "$atropos" work --jobs 1 "$url" >/dev/null 2>&1 & done
	server=$(cat "$server_file")
	while kill -0 $leader 2>/dev/null; do
		t=$(awk '{ print $14 + $15 }' "/proc/$server/stat" 2>/dev/null) && ticks=${t:-$ticks}
		sleep 0.1
	done
	wait $leader || fail "$(cat "$folder/err")"
	wait
	echo "$ticks" >"$folder/ticks-$2"
}

# Prints the row of $1, from the runs so far.
row() {
	python3 - "$folder" "$1" "$2" <<-'P'
	import json, sys
	folder, n, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
	read = lambda name: json.load(open(f"{folder}/{name}"))
	checks, serves = ([read(f"{kind}-{run}") for run in range(runs)] for kind in ("check", "serve"))
	totals = {report["executions"] + report["blocked"] for report in checks + serves}
	assert len(totals) == 1, f"the totals differ: {totals}"
	best = min(range(runs), key=lambda run: serves[run]["explore_us"])
	last = json.loads(open(f"{folder}/lines-{best}").read().splitlines()[-1])
	check, serve = (min(report["explore_us"] for report in reports) / 1e6 for reports in (checks, serves))
	cpu = serves[best]["explore_cpu_us"] / 1e6 + int(open(f"{folder}/ticks-{best}").read()) / 100
	size = last["log_bytes"] / max(1, last["parts_done"])
	print(f"| {n} | {check:.2f} | {serve:.2f} | {check / serve:.2f} | {last['parts_done']} | {size:.0f} | {cpu:.2f} |")
	P
}

program=("$@")
echo "$*"
echo
echo "| N | threads, s | workers, s | ratio | records | bytes for each | leader and server, s |"
echo "|---|---|---|---|---|---|---|"
start=$SECONDS last=0 last_number=1
for n in $numbers; do
	# Fewer workers take longer, and so do the threads.
	expected=$((last * last_number / n))
	if [ $((SECONDS - start + expected)) -gt "$seconds" ]; then
		echo "| $n | no time is left |"
		continue
	fi
	rm -f "$folder"/lines-*
	began=$SECONDS
	check "$n" 0 && serve "$n" 0
	last=$((SECONDS - began + 1)) last_number=$n runs=1
	if [ $last -lt 10 ]; then check "$n" 1 && serve "$n" 1 && runs=2; fi
	row "$n" $runs
done
