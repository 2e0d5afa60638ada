#!/usr/bin/env bash
# What --checkpoint costs.
#
#   checkpoint.sh ATROPOS RUNS JOBS PROGRAM [OPTIONS...]
#   checkpoint.sh --head
#
# Runs a check without and with --checkpoint, by turns, RUNS times each. Prints one row of a table: the best and the
# median of both and their ratio, for the time and the processor time of the exploration, and the size of the file with
# the number of its records. --head prints the head of the table.
set -euo pipefail
if [ "${1:-}" = --head ]; then
	echo "| program | threads | executions | runs | best time, s | with, s | ratio | best processor time, s | with, s | ratio | median, s | with, s | ratio | bytes | records |"
	echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
	exit
fi
atropos=$(realpath "$1") runs=$2 jobs=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run() { "$atropos" check --format json --jobs "$jobs" "$@" 2>/dev/null | tr -d '\n'; echo; }

for _ in $(seq "$runs"); do
	run "$@" >>"$folder/without"
	rm -f "$folder/file"
	run --checkpoint "$folder/file" "$@" >>"$folder/with"
done
records=$(grep -c '{"record"' "$folder/file" || true)
python3 - "$folder" "$(stat -c %s "$folder/file")" "$records" "$jobs" "$1" <<'P'
import json, statistics, sys
folder, size, records, jobs, program = sys.argv[1:]
runs = [[json.loads(line) for line in open(f"{folder}/{name}")] for name in ("without", "with")]
totals = {report["executions"] + report["blocked"] for reports in runs for report in reports}
assert len(totals) == 1, f"the totals differ: {totals}"
row = [program, jobs, f"{totals.pop():,}", len(runs[0])]
for field, middle in (("explore_us", min), ("explore_cpu_us", min), ("explore_cpu_us", statistics.median)):
    without, checkpoint = (middle([report[field] for report in reports]) / 1e6 for reports in runs)
    row += [f"{without:.3f}", f"{checkpoint:.3f}", f"{checkpoint / without:.3f}"]
print("| " + " | ".join(map(str, row + [f"{int(size):,}", records])) + " |")
P
