#!/bin/sh
# Runs the fuzzed readers, each for so many seconds: run.sh BUILD SECONDS [TARGET...]
# An input may take 5 seconds and 1 GiB; what one finds lies in BUILD/found, and the rest run all the same.
set -u
here=$(dirname "$0")
build=$1
seconds=$2
shift 2
[ $# -gt 0 ] || set -- $(cd "$build/tests/fuzz" && ls fuzz_* | sed 's/^fuzz_//')
mkdir -p "$build/found"
failed=0
for target in "$@"; do
  corpus=$build/corpus/$target
  mkdir -p "$corpus"
  log=$build/found/$target.log
  "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
    -max_len=65536 -dict="$here/words.dict" -artifact_prefix="$build/found/$target-" -print_final_stats=1 \
    "$corpus" "$here/corpus/$target" >"$log" 2>&1
  status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  printf '%-20s %12s executions, %s inputs kept, %s\n' "$target" "${runs:-?}" "$(ls "$corpus" | wc -l)" \
    "$([ $status -eq 0 ] && echo 'none found' || echo "FOUND: see $log")"
  [ $status -eq 0 ] || failed=1
done
exit $failed
