#!/usr/bin/env bash
# What --checkpoint costs.
#
#   checkpoint.sh ATROPOS SECONDS JOBS PROGRAM [OPTIONS...]
#
# Runs a check without and with --checkpoint, by turns, until SECONDS are over, and at least twice each. Prints the
# median of both and their ratio, for the time and the processor time of the exploration, and the size of the file.
set -euo pipefail
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
python3 - "$folder" "$(stat -c %s "$folder/file")" "$jobs" "$*" <<'P'
import json, statistics, sys
folder, size, jobs, program = sys.argv[1:]
runs = [[json.loads(line) for line in open(f"{folder}/{name}")] for name in ("without", "with")]
totals = {report["executions"] + report["blocked"] for reports in runs for report in reports}
assert len(totals) == 1, f"the totals differ: {totals}"
print(f"{program}, {jobs} threads, {totals.pop():,} executions, {len(runs[0])} runs each; the file has {int(size):,} bytes")
print("| | without, s | with, s | ratio |\n|---|---|---|---|")
for name, field in (("time", "explore_us"), ("processor time", "explore_cpu_us")):
    without, checkpoint = (statistics.median(report[field] for report in reports) / 1e6 for reports in runs)
    print(f"| {name} | {without:.2f} | {checkpoint:.2f} | {checkpoint / without:.3f} |")
P
