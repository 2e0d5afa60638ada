#!/usr/bin/env bash
# Measures one thing with the files that pack.sh has put here, in less than 280 seconds.
#
#   measure.sh fib | expmem | long | checkpoint
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
	./checkpoint.sh ./atropos 60 1 fib6.ll "${options[@]}"
	./checkpoint.sh ./atropos 50 "$(nproc)" fib6.ll "${options[@]}"
	./checkpoint.sh ./atropos 100 "$(nproc)" expmem10.ll "${options[@]}"
	;;
*)
	sed -n '2,4s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
