# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the test runners: run a step, keep its log, add up its counts.
# A step ends with "NAME: N passed, N failed[, N skipped]", or is a cmocka
# program. A step that counts nothing, or ends with an error although it
# counted no failure, is a failure itself.

total_passed=0 total_failed=0 total_skipped=0
count_logs=$(mktemp -d)
trap 'rm -rf "$count_logs"' EXIT

# step NAME SECONDS COMMAND...
step() {
	local name=$1 limit=$2 log rc=0 p f s start=$SECONDS
	shift 2
	log=$count_logs/${name//\//_}
	timeout -k 10 "$limit" "$@" >"$log" 2>&1 </dev/null || rc=$?
	p=$(sed -nE 's/.*(^|[: ])([0-9]+) passed, ([0-9]+) failed.*/\2/p' "$log" | tail -1)
	f=$(sed -nE 's/.*(^|[: ])([0-9]+) passed, ([0-9]+) failed.*/\3/p' "$log" | tail -1)
	s=$(sed -nE 's/.* failed, ([0-9]+) skipped.*/\1/p' "$log" | tail -1)
	if [ -z "$p" ]; then
		p=$(sed -nE 's/.*\[  PASSED  \] ([0-9]+) test.*/\1/p' "$log" | tail -1)
		f=$(sed -nE 's/.*\[  FAILED  \] .*: ([0-9]+) test.*/\1/p' "$log" | tail -1)
	fi
	p=${p:-0} f=${f:-0} s=${s:-0}
	if [ "$rc" != 0 ] && [ "$f" = 0 ]; then
		f=1
		echo "--- $name: exit code $rc" >>"$log"
		[ "$rc" != 124 ] || echo "--- $name: no end after $limit s" >>"$log"
	fi
	if [ "$p" = 0 ] && [ "$f" = 0 ] && [ "$s" = 0 ]; then
		f=1
		echo "--- $name: no test ran" >>"$log"
	fi
	printf '%-34s %5d passed, %d failed, %d skipped  (%d s)\n' \
		"$name" "$p" "$f" "$s" $((SECONDS - start))
	[ "$f" = 0 ] || grep -v '^ok ' "$log" | sed 's/^/    | /' | tail -n 60
	[ "$s" = 0 ] || grep -i skip "$log" | sed 's/^/    | /' | head -20
	total_passed=$((total_passed + p))
	total_failed=$((total_failed + f))
	total_skipped=$((total_skipped + s))
}

# The closing line, and the exit code.
closing() {
	echo "$1: $total_passed passed, $total_failed failed, $total_skipped skipped"
	[ "$total_failed" = 0 ]
}
