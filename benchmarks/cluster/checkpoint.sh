#!/usr/bin/env bash
# What --checkpoint costs.
#
#   checkpoint.sh ATROPOS SECONDS JOBS PROGRAM [OPTIONS...]
#   checkpoint.sh --head
#
# Runs a check without and with --checkpoint, by turns, until SECONDS are over, and at least twice each. Prints one row
# of a table: the medians of both and their ratio, for the time and the processor time of the exploration, and the size
# of the file with the number of its records. --head prints the head of the table.
set -euo pipefail
if [ "${1:-}" = --head ]; then
	echo "| program | threads | executions | runs | time, s | with, s | ratio | processor, s | with, s | ratio | bytes | records |"
	echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
	exit
fi
atropos=$(realpath "$1") seconds=$2 jobs=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run() { "$atropos" check --format json --jobs "$jobs" "$@" 2>/dev/null | tr -d '\n'; echo; }

start=$SECONDS last=0 n=0
while [ $n -lt 2 ] || [ $((SECONDS - start + last)) -le "$seconds" ]; do
	began=$SECONDS
	run "$@" >>"$folder/without"
	rm -f "$folder/file"
	run --checkpoint "$folder/file" "$@" >>"$folder/with"
	n=$((n + 1)) last=$((SECONDS - began + 1))
done
records=$(grep -c '{"record"' "$folder/file" || true)
python3 - "$folder" "$(stat -c %s "$folder/file")" "$records" "$jobs" "$1" <<'P'
import json, statistics, sys
folder, size, records, jobs, program = sys.argv[1:]
runs = [[json.loads(line) for line in open(f"{folder}/{name}")] for name in ("without", "with")]
totals = {report["executions"] + report["blocked"] for reports in runs for report in reports}
assert len(totals) == 1, f"the totals differ: {totals}"
row = [program, jobs, f"{totals.pop():,}", len(runs[0])]
for field in ("explore_us", "explore_cpu_us"):
    without, checkpoint = (statistics.median(report[field] for report in reports) / 1e6 for reports in runs)
    row += [f"{without:.2f}", f"{checkpoint:.2f}", f"{checkpoint / without:.3f}"]
print("| " + " | ".join(map(str, row + [f"{int(size):,}", records])) + " |")
P
