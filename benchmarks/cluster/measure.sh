#!/usr/bin/env bash
# Measures with the files that pack.sh has put here.
#
#   measure.sh all | kill [KILLS SERVER_KILLS] | scale [RUNS] | long | checkpoint | weight
#
# all         scale, long and checkpoint, in less than five minutes
# kill        kills the processes of five checks, which run beside each other, again and again, and compares totals
# scale       16, 8, 4, 2 and 1 workers against as many threads: fib_bench(6) and exp-mem(9)
# long        the same with a check that takes one thread more than a minute
# checkpoint  what --checkpoint costs
# weight      what a checkpoint weighs after 10^8 executions
set -euo pipefail
cd "$(dirname "$0")"
export PATH=$PWD:$PATH
options=(--model rc11 --equivalence co --reduce none)
echo "$(nproc) cores, $(nats-server --version)"

# The rows of a program, as they come: those with few workers beside each other, as they leave cores free.
rows() {
	local program=$1 few=$2 many=$3 pids=() pid n
	for n in 16 8; do ./scaling.py ./atropos "$many" $n "$program" "${options[@]}"; done
	for n in 4 2 1; do
		./scaling.py ./atropos "$few" $n "$program" "${options[@]}" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid"; done
}

scale() {
	./scaling.py --head
	rows fib6.ll "${1:-2}" "${1:-5}"
	rows expmem9.ll "${1:-3}" "${1:-5}"
}

long() {
	./scaling.py --head
	rows lastzero23.ll 1 2
}

checkpoint() {
	./checkpoint.sh --head
	./checkpoint.sh ./atropos 5 1 fib6.ll "${options[@]}" >row-1 &
	./checkpoint.sh ./atropos 5 4 lastzero20.ll "${options[@]}" >row-2
	wait
	cat row-1 row-2
}

case ${1:-} in
kill)
	pids=()
	while read -r program executions jobs; do
		./kill.sh ./atropos "${2:-50}" "${3:-5}" "$executions" "$jobs" "$program" "${options[@]}" &
		pids+=($!)
	done <<-'L'
		expmem2-6.ll 33177600 2
		lastzero20.ll 6029312 2
		binc6.ll 518400 1
		fib6.ll 8149694 1
		msqueue3.ll 118905 1
	L
	failed=0
	for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
	exit $failed
	;;
all)
	scale
	long
	checkpoint
	;;
scale) scale "${2:-}" ;;
long) long ;;
checkpoint) checkpoint ;;
weight)
	file=$(mktemp -u)
	trap 'rm -f "$file"' EXIT
	check() { ./atropos check --format json --checkpoint "$file" fib7.ll "${options[@]}" "$@" 2>/dev/null || [ $? -eq 3 ]; }
	began=$SECONDS
	check --jobs "$(nproc)" --max-executions 100000000 --timeout 250 |
		python3 -c 'import json,sys; o=json.load(sys.stdin); print(o["executions"] + o["blocked"])' >"$file.n"
	echo "| program | threads | executions | time, s | bytes | records |"
	echo "|---|---|---|---|---|---|"
	echo "| fib7.ll | $(nproc) | $(cat "$file.n") | $((SECONDS - began)) | $(stat -c %s "$file") | $(grep -c '{"record"' "$file") |"
	rm -f "$file.n"
	;;
*)
	sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
