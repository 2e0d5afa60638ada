#!/usr/bin/env bash
# Packs what measurements need on another machine: no compiler, only bash, awk and python3.
#
#   pack.sh ATROPOS NATS_SERVER FOLDER [BEFORE]
#
# BEFORE is another `atropos` to compare with.
# There, `FOLDER/measure.sh` says what it measures.
set -euo pipefail
atropos=$(realpath "$1") server=$(realpath "$2") folder=$3 before=$(realpath "${4:-$1}")
cd "$(dirname "$0")/../.."
mkdir -p "$folder"
cp "$atropos" "$folder/atropos"
strip "$folder/atropos"
[ -z "${4:-}" ] || strip -o "$folder/atropos-before" "$before"
cp "$server" "$folder/nats-server"
cp benchmarks/cluster/{kill.sh,scaling.py,checkpoint.sh,measure.sh} "$folder"
compile() { clang-19 -S -emit-llvm -O0 -g -fno-discard-value-names -mlong-double-64 -DN="$3" "benchmarks/$1.c" -o "$folder/$2.ll"; }
compile rcmc/fib_bench fib6 6
compile rcmc/fib_bench fib7 7
compile rcmc/binc binc6 6
compile rcmc/lastzero lastzero20 20
compile rcmc/lastzero lastzero23 23
compile rcmc/ms-queue msqueue3 3
compile trust/exp-mem expmem9 9
compile trust/exp-mem2 expmem2-6 6
du -sh "$folder"
