#!/usr/bin/env bash
# Measures one thing with the files that pack.sh has put here, in less than 280 seconds.
#
#   measure.sh fib | expmem | long | checkpoint | weight
#
# Each prints one table; `weight` is about a checkpoint after 10^8 executions.
set -euo pipefail
cd "$(dirname "$0")"
export PATH=$PWD:$PATH
options=(--model rc11 --equivalence co --reduce none)
numbers="16 8 4 2 1"
echo "$(nproc) cores, $(nats-server --version)"
case ${1:-} in
fib) ./scaling.sh ./atropos 260 "$numbers" fib6.ll "${options[@]}" ;;
expmem) ./scaling.sh ./atropos 260 "$numbers" expmem9.ll "${options[@]}" ;;
long) ./scaling.sh ./atropos 250 "$numbers" expmem10.ll "${options[@]}" ;;
checkpoint)
	./checkpoint.sh --head
	./checkpoint.sh ./atropos 60 1 fib6.ll "${options[@]}"
	./checkpoint.sh ./atropos 50 "$(nproc)" fib6.ll "${options[@]}"
	./checkpoint.sh ./atropos 100 "$(nproc)" expmem10.ll "${options[@]}"
	;;
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
	sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
