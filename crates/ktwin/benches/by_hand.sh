#!/bin/sh
# kernels/c/silu.c timed by ktwin and by others in turns: a loop with clock_gettime, hyperfine around that loop, and
# Google Benchmark. What is not installed is left out (Debian: apt-get install hyperfine libbenchmark-dev).
#
#     sh crates/ktwin/benches/by_hand.sh [SIZE] [ROUNDS]      KTWIN names the command, else target/release/ktwin
#
# Each line is a round: nanoseconds of a call, and how many times as much as ktwin's warm median of that round. Where
# others use the machine, a loop of half a second waits for them, too: `hyperfine-user` and `google-cpu` are the times
# of the processor alone. `loop-in-turns` has three inputs that take turns, as ktwin has: a processor learns the
# branches that one input takes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
size=${1:-4096}
rounds=${2:-5}
ktwin=${KTWIN:-$root/target/release/ktwin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -o "$work/by_hand" "$here/by_hand.c" -lm
cc -O2 -c -o "$work/silu.o" "$root/kernels/c/silu.c"
c++ -O2 -o "$work/google" "$here/by_hand.cpp" "$work/silu.o" -lbenchmark -lpthread -lm 2>/dev/null || true

median() { sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

of_ktwin() {
    "$ktwin" bench "$root/kernels/c/silu.c" --dims "N=$size" --time 2 --format json 2>/dev/null |
        tr -d ' \n' | sed 's/.*"cache":"warm"//; s/.*"median_ns":\([0-9.]*\).*/\1/'
}

# in six processes, as ktwin does
of_loop() {
    for process in 1 2 3 4 5 6; do
        "$work/by_hand" "$size" "$batch" 1000 "$@"
    done | cut -d' ' -f1 | median
}

# the loop takes half a second; the program without it is taken off
of_hyperfine() {
    command -v hyperfine >/dev/null || return 0
    hyperfine -N --warmup 1 --runs 10 --export-json "$work/h.json" \
        "$work/by_hand $size $calls" "$work/by_hand $size 0" >/dev/null 2>&1
    for what in median user; do
        tr -d ' \n' <"$work/h.json" | sed "s/\"$what\":/\n/g" | sed -n '2,3s/,.*//p' | tr '\n' ' ' |
            awk -v calls="$calls" '{ printf "%f ", ($1 - $2) * 1e9 / calls }'
    done
}

of_google() {
    [ -x "$work/google" ] || return 0
    SIZE=$size "$work/google" --benchmark_repetitions=5 --benchmark_min_time=0.2 --benchmark_format=csv 2>/dev/null |
        awk -F, '/^"by_google.*median"/ { print $3, $4 }'
}

once=$("$work/by_hand" "$size" 10 100 | cut -d' ' -f1)
calls=$(awk -v once="$once" 'BEGIN { print int(5e8 / once) + 1 }')
batch=$(awk -v once="$once" 'BEGIN { print int(5e4 / once) + 1 }')
echo "silu N=$size: nanoseconds of a call, and the ratio to ktwin's"
for round in $(seq "$rounds"); do
    own=$(of_ktwin)
    loop=$(of_loop)
    printf '%s ktwin %.1f' "$round" "$own"
    turns=$(of_loop 3)
    set -- loop "$loop" loop-in-turns "$turns"
    both=$(of_hyperfine)
    [ -z "$both" ] || set -- "$@" hyperfine "${both%% *}" hyperfine-user "$(echo "$both" | cut -d' ' -f2)"
    both=$(of_google)
    [ -z "$both" ] || set -- "$@" google "${both%% *}" google-cpu "${both##* }"
    while [ $# -gt 0 ]; do
        awk -v name="$1" -v time="$2" -v own="$own" 'BEGIN { printf "  %s %.1f (%.3f)", name, time, time / own }'
        awk -v time="$2" -v own="$own" 'BEGIN { print time / own }' >>"$work/$1.ratios"
        shift 2
    done
    echo
done
for ratios in "$work"/*.ratios; do
    echo "median ratio of $(basename "$ratios" .ratios): $(median <"$ratios")"
done
