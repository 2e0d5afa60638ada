#!/usr/bin/env bash
# Measures with the files that pack.sh has put here.
#
#   measure.sh all | scale | many | checkpoint [RUNS] | kill [KILLS SERVER_KILLS] | weight
#
# all         scale, checkpoint and kill, on 16 cores in less than ten minutes
# scale       16, 8, 4, 2 and 1 workers against as many threads: fib_bench(6), exp-mem(9), and lastzero(23), which takes
#             one thread more than a minute; in four minutes
# many        16 workers against as many threads, and 8 for exp-mem(9), twice; if pack.sh has put atropos-before there,
#             with it and with atropos by turns; in less than six
# checkpoint  what --checkpoint costs, in one and a half
# kill        kills the processes of five checks, which run beside each other, again and again, and compares totals; in
#             four
# weight      what a checkpoint weighs after 10^8 executions
#
# Rows are printed as they come, also into $OUT/measured, if there is a folder OUT.
set -euo pipefail
[ -z "${OUT:-}" ] || exec > >(tee -a "$OUT/measured") 2>&1
cd "$(dirname "$0")"
export PATH=$PWD:$PATH
options=(--model rc11 --equivalence co --reduce none)
echo "$(nproc) cores, $(nats-server --version)"

row() { ./scaling.py "${4:-./atropos}" "$1" "$2" "$3" "${options[@]}"; }

# With 16 and 8 workers one after the other, then those with fewer beside each other, which leave cores free.
scale() {
	local pids=() pid
	./scaling.py --head
	row 9:16 16 fib6.ll
	row 9:16 16 expmem9.ll
	row 4:36 16 lastzero23.ll
	row 5:12 8 fib6.ll
	row 5:10 8 expmem9.ll
	row 2:20 8 lastzero23.ll
	{ row 1 1 lastzero23.ll & row 2:125 2 lastzero23.ll & row 4:125 4 lastzero23.ll & wait; } &
	pids+=($!)
	{ row 3:50 1 fib6.ll; row 5:50 1 expmem9.ll; } &
	pids+=($!)
	{ row 6:50 2 fib6.ll; row 9:50 2 expmem9.ll; } &
	pids+=($!)
	{ row 9:50 4 fib6.ll; row 9:50 4 expmem9.ll; } &
	pids+=($!)
	for pid in "${pids[@]}"; do wait "$pid"; done
}

many() {
	local executables=(./atropos) seconds=36 executable
	if [ -x ./atropos-before ]; then executables=(./atropos-before ./atropos) seconds=18; fi
	./scaling.py --head
	for _ in 1 2; do
		for program in 16:expmem9 8:expmem9 16:fib6 16:lastzero23; do
			for executable in "${executables[@]}"; do
				row "20:$seconds" "${program%:*}" "${program#*:}.ll" "$executable"
			done
		done
	done
}

checkpoint() {
	./checkpoint.sh --head
	./checkpoint.sh ./atropos "${1:-12}" 4 lastzero20.ll "${options[@]}" &
	./checkpoint.sh ./atropos "${1:-6}" 1 lastzero20.ll "${options[@]}" &
	./checkpoint.sh ./atropos "${1:-6}" 1 fib6.ll "${options[@]}" &
	wait
}

kill_all() {
	local pids=() pid failed=0
	while read -r program executions jobs; do
		timeout 240 ./kill.sh ./atropos "$1" "$2" "$executions" "$jobs" "$program" "${options[@]}" &
		pids+=($!)
	done <<-'L'
		expmem2-6.ll 33177600 2
		lastzero20.ll 6029312 2
		binc6.ll 518400 1
		fib6.ll 8149694 1
		msqueue3.ll 118905 1
	L
	for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
	[ $failed -eq 0 ] && echo "all totals are right" || echo "SOME CHECKS FAILED OR TOOK TOO LONG"
	return $failed
}

case ${1:-} in
all)
	scale
	checkpoint
	kill_all 50 5
	;;
scale) scale ;;
many) many ;;
checkpoint) checkpoint "${2:-}" ;;
kill) kill_all "${2:-50}" "${3:-5}" ;;
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
	sed -n '2,16s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
