#!/usr/bin/env bash
# Compares worker processes with threads of one process.
#
#   scaling.sh ATROPOS "1 2 4 8 16" PROGRAM [OPTIONS...]
#
# For each number, runs `check --jobs N` and then `serve` with N workers of one explorer each. A line has the number,
# the seconds of both (exploring only, and for the second the whole time too), the ratio, the executions, the records
# and the mean size of one, in bytes.
set -euo pipefail
atropos=$(realpath "$1") numbers=$2
shift 2
folder=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null; [ -f "$folder/store/nats.pid" ] && kill -9 "$(cat "$folder/store/nats.pid")" 2>/dev/null; rm -rf "$folder"' EXIT
field() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

echo "# $*"
echo "# N  check_s  serve_s  serve_wall_s  ratio  executions  records  record_bytes  cpu_of_leader_and_server_s"
for n in $numbers; do
	"$atropos" check --format json --jobs "$n" "$@" >"$folder/check" 2>/dev/null || true
	rm -rf "$folder/store" "$folder/lines"
	start=$(date +%s.%N)
	"$atropos" serve --format json --listen 127.0.0.1:0 --store "$folder/store" --progress "$folder/lines" "$@" \
		>"$folder/serve" 2>"$folder/err" &
	leader=$!
	until url=$(sed -n 's/.*`atropos work \(.*\)`.*/\1/p' "$folder/err") && [ -n "$url" ]; do
		kill -0 $leader 2>/dev/null || { cat "$folder/err" >&2; exit 1; }
		sleep 0.01
	done
	for _ in $(seq "$n"); do "$atropos" work --jobs 1 "$url" >/dev/null 2>&1 & done
	# The processor time of the server, before it ends.
	server=$(cat "$folder/store/nats.pid")
	ticks=0
	while kill -0 $leader 2>/dev/null; do
		t=$(awk '{ print $14 + $15 }' "/proc/$server/stat" 2>/dev/null) && ticks=${t:-$ticks}
		sleep 0.1
	done
	wait $leader || true
	end=$(date +%s.%N)
	wait
	python3 - "$folder" "$n" "$start" "$end" "$ticks" <<-'P'
	import json, sys, glob
	folder, n, start, end, ticks = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5] or 0)
	check, serve = (json.load(open(f"{folder}/{name}")) for name in ("check", "serve"))
	total = [o["executions"] + o["blocked"] for o in (check, serve)]
	assert total[0] == total[1], total
	last = json.loads(open(f"{folder}/lines").read().splitlines()[-1])
	a, b = check["explore_us"] / 1e6, serve["explore_us"] / 1e6
	cpu = serve["explore_cpu_us"] / 1e6 + ticks / 100
	size = last["log_bytes"] / max(1, last["parts_done"])
	print(f"{n:3} {a:8.2f} {b:8.2f} {end - start:8.2f} {a / b:6.2f} {total[0]:12} {last['parts_done']:7} {size:8.0f} {cpu:8.2f}")
	P
done
