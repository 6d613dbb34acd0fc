# Shared by run.sh and test.sh: finds Python, keeps .venv in step with pyproject.toml, checks system libraries.
# Sourced, not run. After `prepare_environment run|test`, $VENV/bin holds everything. Nothing is downloaded when
# nothing changed, so that the second start is quick and needs no network.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV="$ROOT/.venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONDONTWRITEBYTECODE # without bytecode every start compiles the libraries again: seconds, not milliseconds
unset PYTHONHOME PYTHONPATH

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 3
}

find_python() {
  local name
  for name in "${REMANENCE_PYTHON:-}" python3 python3.13 python3.12 python3.11 python; do
    [ -n "$name" ] || continue
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      command -v "$name"
      return
    fi
  done
  return 1
}

# What Qt needs besides the wheel: library, Debian package.
SYSTEM_LIBRARIES="
libglib-2.0.so.0 libglib2.0-0
libGL.so.1 libgl1
libEGL.so.1 libegl1
libxkbcommon.so.0 libxkbcommon0
libfontconfig.so.1 libfontconfig1
libdbus-1.so.3 libdbus-1-3
libxcb-cursor.so.0 libxcb-cursor0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-keysyms.so.1 libxcb-keysyms1
libxcb-shape.so.0 libxcb-shape0
libxcb-xkb.so.1 libxcb-xkb1
libxkbcommon-x11.so.0 libxkbcommon-x11-0
"

missing_packages() {
  local known library package
  known=$(PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null) || return 0
  while read -r library package; do
    if [ -n "$library" ] && ! grep -qF "$library" <<<"$known"; then
      printf '%s ' "$package"
    fi
  done <<<"$SYSTEM_LIBRARIES"
}

install_packages() { # package…
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  say "Installing system packages: $*"
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 && return
  apt-get update -qq >/dev/null 2>&1 && apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

check_system() {
  [ "$(uname -s)" = Linux ] || return 0
  local missing
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086  # a list of words is meant
  install_packages $missing || say "Qt needs system packages that are not installed: apt-get install $missing"
}

make_venv() { # python
  "$1" -m venv "$VENV" >/dev/null 2>&1 && return
  rm -rf "$VENV"
  local version
  version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  install_packages "python$version-venv" && "$1" -m venv "$VENV" && return
  fail "Python cannot make a virtual environment: install the package python$version-venv and start again."
}

stamp_of() { # run|test
  {
    printf '%s\n' "$1" "$ROOT"
    cat "$VENV/pyvenv.cfg"
    cat "$ROOT/pyproject.toml" "$ROOT/packaging/constraints.txt"
  } | cksum
}

install_into_venv() { # arguments of pip install
  "$VENV/bin/python" -m pip install --progress-bar off -c "$ROOT/packaging/constraints.txt" "$@" | show_progress
  [ "${PIPESTATUS[0]}" = 0 ]
}

# What pip says, in a few lines: one for each package that is fetched, and the last step.
show_progress() {
  local count=0 first second
  while read -r first second _; do
    case "$first" in
      Collecting) count=$((count + 1)) && say "  $count: ${second%%[<>=!~;[]*}" ;;
      Installing) [ "$second" = collected ] && say "  unpacking" ;;
    esac
  done
}

install_project() { # run|test
  local target="$ROOT"
  [ "$1" = test ] && target="$ROOT[test]"
  say "Installing Remanence into .venv (first time, or its requirements changed). This takes a minute or two."
  install_into_venv hatchling editables && install_into_venv --no-build-isolation -e "$target" ||
    fail "The installation failed: see the lines above. A package index must be reachable the first time."
  say "  preparing the libraries, so that every start is quick"
  "$VENV/bin/python" -m compileall -q -j 0 "$VENV/lib" >/dev/null 2>&1 || true
}

prepare_environment() { # run|test
  local python
  check_system
  if ! "$VENV/bin/python" -c '' >/dev/null 2>&1; then # none yet, or its Python went away
    python=$(find_python) || fail "Python 3.11 or newer is needed: install python3, or name one in REMANENCE_PYTHON."
    rm -rf "$VENV"
    make_venv "$python"
  fi
  # an environment for tests can also run the app
  if [ ! -x "$VENV/bin/remanence" ] || ! grep -qxF -e "$(stamp_of "$1")" -e "$(stamp_of test)" "$VENV/.stamp" 2>/dev/null; then
    install_project "$1"
    stamp_of "$1" >"$VENV/.stamp"
  fi
  "$VENV/bin/python" -m compileall -q "$ROOT/app" "$ROOT/ui" >/dev/null 2>&1 || true
}
