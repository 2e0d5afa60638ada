#!/usr/bin/env bash
# Packs what measurements need on another machine: no compiler, only bash, awk and python3.
#
#   pack.sh ATROPOS NATS_SERVER FOLDER
#
# There, `FOLDER/measure.sh WHAT` measures one of: fib expmem long checkpoint weight. Each takes less than 280 seconds.
set -euo pipefail
atropos=$(realpath "$1") server=$(realpath "$2") folder=$3
cd "$(dirname "$0")/../.."
mkdir -p "$folder"
cp "$atropos" "$folder/atropos"
cp "$server" "$folder/nats-server"
cp benchmarks/cluster/scaling.sh benchmarks/cluster/checkpoint.sh benchmarks/cluster/measure.sh "$folder"
compile() { clang-19 -S -emit-llvm -O0 -g -fno-discard-value-names -mlong-double-64 -DN="$3" "benchmarks/$1.c" -o "$folder/$2.ll"; }
compile rcmc/fib_bench fib6 6
compile rcmc/fib_bench fib7 7
compile trust/exp-mem expmem9 9
compile trust/exp-mem expmem10 10
du -sh "$folder"
