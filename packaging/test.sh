#!/usr/bin/env bash
# The one command before every commit: lint, format, types, import contracts, tests without a screen.
#   --fast   tests only            --slow   the long tests as well
#   --bench  print the figures of QUALITY.md instead            anything else goes to pytest
#   --clients [NAME…] [--dump FOLDER] [--keep FOLDER]   drive the real assistants (tests/clients/README.md); fetches them from npm
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/_env.sh"

# A file's tests run on one worker (--dist loadfile), in the order of tests/conftest.py; two workers more than processors, since many tests wait for a process or the
# disk, where the memory is there (of the machine, or of the container): a worker grows to 0.7 GB, and what it starts comes on top.
is_fast= is_clients= mark=() passed=() paths=()
workers=$(($(getconf _NPROCESSORS_ONLN) + 2))
room=$({ cat /proc/meminfo /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || true; } | awk '
  /^MemAvailable/ { bytes[0] = $2 * 1024 }
  /^[0-9]+$/ { bytes[1] = $1 }
  END { for (one in bytes) if (!least || bytes[one] < least) least = bytes[one]; if (least) print int(least / 1200000000) }')
[ -z "$room" ] || [ "$workers" -le "$room" ] || workers=$((room > 2 ? room : 2))
spread=(-n $((workers < 6 ? workers : 6)) --dist loadfile --no-loadscope-reorder)
for argument in "$@"; do
  case "$argument" in
    --fast) is_fast=1 ;;
    --clients) is_clients=1 ;;
    --slow) mark=(-m "not benchmark") ;;
    --bench) is_fast=1 spread=() mark=(-m benchmark -s) paths=(tests/benchmarks/bench_*.py) ;;
    *) passed+=("$argument") ;;
  esac
done

prepare_environment test
cd "$ROOT"
PATH="$VENV/bin:$PATH"
export QT_QPA_PLATFORM=offscreen QT_SCALE_FACTOR=1

step() {
  say "— $1"
  shift
  "$@"
}

beside=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$beside"' EXIT
begin() { # name, command…: one processor checks what the other does not need
  say "— $1 (begun)"
  local name=$1
  shift
  "$@" >"$beside/$name" 2>&1 &
  echo $! >"$beside/$name.pid"
}
finish() { # name
  local status=0
  wait "$(cat "$beside/$1.pid")" || status=$?
  say "— $1"
  cat "$beside/$1"
  return "$status"
}

if [ -n "$is_clients" ]; then
  say "— real clients"
  exec python -m tests.clients ${passed[@]+"${passed[@]}"}
fi
if [ -z "$is_fast" ]; then
  step "lint" ruff check --quiet .
  step "format" ruff format --check --quiet .
  begin "types" mypy app ui
  begin "import contracts" lint-imports --no-logo
  begin "examples in docstrings" pytest -q --doctest-modules app
  # what pytest makes of a test file the first time is made once, not in each worker
  pytest -q --collect-only -p no:cacheprovider "${paths[@]+"${paths[@]}"}" ${passed[@]+"${passed[@]}"} >/dev/null 2>&1 || true
  finish "import contracts"
  finish "examples in docstrings"
fi
status=0
step "tests" pytest ${spread[@]+"${spread[@]}"} ${mark[@]+"${mark[@]}"} ${paths[@]+"${paths[@]}"} ${passed[@]+"${passed[@]}"} || status=$?
[ -n "$is_fast" ] || finish "types" || status=1
exit "$status"
