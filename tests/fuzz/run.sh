#!/bin/sh
# Runs the fuzzed readers, each for so many seconds or executions: run.sh BUILD seconds|runs COUNT [TARGET...]
# Nine tenths are inputs of at most 4 KiB, which run fast, the last tenth inputs of up to 64 KiB.
# An input may take 5 seconds and 1 GiB; what one finds lies in BUILD/found, and the rest run all the same.
set -u
here=$(dirname "$0")
build=$1
unit=$2
count=$3
shift 3
[ $# -gt 0 ] || set -- $(cd "$build/tests/fuzz" && ls fuzz_* | sed 's/^fuzz_//')
mkdir -p "$build/found"
failed=0

# run TARGET COUNT BYTES: appends to the target's log.
run() {
  [ "$2" -gt 0 ] || return 0
  limit=-runs=$2
  [ "$unit" = runs ] || limit=-max_total_time=$2
  "$build/tests/fuzz/fuzz_$1" "$limit" -max_len="$3" -timeout=5 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
    -dict="$here/words.dict" -artifact_prefix="$build/found/$1-" -print_final_stats=1 \
    "$build/corpus/$1" "$here/corpus/$1" >>"$log" 2>&1
}

for target in "$@"; do
  mkdir -p "$build/corpus/$target"
  log=$build/found/$target.log
  : >"$log"
  begin=$(date +%s)
  of_long=$(((count + 9) / 10))
  run "$target" $((count - of_long)) 4096 && run "$target" $of_long 65536
  status=$?
  seconds=$(($(date +%s) - begin))
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | awk '{ all += $1 } END { print all + 0 }')
  printf '%-20s %12s executions, %s a second, %s inputs kept, %s\n' "$target" "$runs" $((runs / (seconds + (seconds == 0)))) \
    "$(ls "$build/corpus/$target" | wc -l)" "$([ $status -eq 0 ] && echo 'none found' || echo "FOUND: see $log")"
  [ $status -eq 0 ] || failed=1
done
exit $failed
