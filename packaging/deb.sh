#!/usr/bin/env bash
# Builds dist/remanence_VERSION_ARCH.deb; --try installs it in a bare Debian (a folder made by debootstrap), starts it there and takes it away again.
# The package holds its own Python environment under /usr/lib/remanence and uses the system's Python of the version it was built with.
#   --out FOLDER   another folder for the package        --keep   leave the bare Debian of --try where it is
#   --package FILE   try this package, build none
# Needs dpkg-deb; --try also root, debootstrap and an archive of packages (that of this machine).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/_env.sh"

out="$ROOT/dist" package= is_tried= is_kept=
while [ $# -gt 0 ]; do
  case "$1" in
    --out) out=$(realpath -m "${2:?--out needs a folder}") && shift ;;
    --try) is_tried=1 ;;
    --package) package=$(realpath "${2:?--package needs a file}") is_tried=1 && shift ;;
    --keep) is_kept=1 ;;
    *) fail "Not known: $1. See the head of packaging/deb.sh." ;;
  esac
  shift
done
command -v dpkg-deb >/dev/null || fail "dpkg-deb is needed: install the package dpkg."

HOME_OF_APP=/usr/lib/remanence
NAME=io.github.remanence.Remanence
work=$(mktemp -d "${TMPDIR:-/tmp}/remanence-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT

build_package() {
  # -- the environment, at the place where it will stand
  python=$(find_python) || fail "Python 3.11 or newer is needed."
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  next=$("$python" -c 'import sys; print("%d.%d" % (sys.version_info[0], sys.version_info[1] + 1))')
  tree="$work/tree"
  lib="$tree$HOME_OF_APP"
  say "Installing into the package's own environment (Python $version)."
  "$python" -m venv "$work/builder" >/dev/null
  "$work/builder/bin/pip" install --quiet --quiet -c "$ROOT/packaging/constraints.txt" hatchling editables
  "$work/builder/bin/pip" wheel --quiet --quiet --no-deps --no-build-isolation -w "$work/wheel" "$ROOT"
  "$python" -m venv --without-pip "$lib"
  "$work/builder/bin/pip" --python "$lib/bin/python" install --progress-bar off --no-compile \
    -c "$ROOT/packaging/constraints.txt" "$work"/wheel/remanence-*.whl | show_progress
  [ "${PIPESTATUS[0]}" = 0 ] || fail "The installation failed: see the lines above."

  say "Making it independent of where it was built."
  rm -f "$lib"/bin/activate* "$lib"/bin/Activate.ps1 "$lib"/.gitignore
  for program in "$lib"/bin/*; do # of the libraries' own programs none is ours to offer
    case "${program##*/}" in python* | remanence | remanence-gui) ;; *) rm -f "$program" ;; esac
  done
  ln -sfn "/usr/bin/python$version" "$lib/bin/python"
  ln -sfn python "$lib/bin/python3"
  ln -sfn python "$lib/bin/python$version"
  sed -i "1s|^#!.*|#!$HOME_OF_APP/bin/python|" "$lib/bin/remanence" "$lib/bin/remanence-gui"
  printf 'home = /usr/bin\ninclude-system-site-packages = false\nversion = %s\n' "$version" >"$lib/pyvenv.cfg"
  site="$lib/lib/python$version/site-packages"
  rm -rf "$site"/remanence-*.dist-info/direct_url.json "$site"/PySide6/examples
  # a checked hash, not a time: a package sets the times of files as it likes
  "$python" -m compileall -q -j 0 -s "$tree" -p / --invalidation-mode unchecked-hash "$site" >/dev/null || true

  # -- what a desktop looks for
  install -d "$tree/usr/bin" "$tree/usr/share/applications" "$tree/usr/share/metainfo" \
    "$tree/usr/share/icons/hicolor/scalable/apps" "$tree/usr/share/doc/remanence" "$tree/DEBIAN"
  ln -s "$HOME_OF_APP/bin/remanence" "$tree/usr/bin/remanence"
  ln -s "$HOME_OF_APP/bin/remanence-gui" "$tree/usr/bin/remanence-gui"
  install -m 644 "$ROOT/packaging/linux/$NAME.desktop" "$tree/usr/share/applications/"
  install -m 644 "$ROOT/packaging/linux/$NAME.metainfo.xml" "$tree/usr/share/metainfo/"
  sed 's/currentColor/#6d5ae6/' "$ROOT/resources/icons/logo.svg" >"$tree/usr/share/icons/hicolor/scalable/apps/$NAME.svg"
  install -m 644 "$ROOT/LICENSE" "$tree/usr/share/doc/remanence/copyright"
  gzip -9nc "$ROOT/CHANGELOG.md" >"$tree/usr/share/doc/remanence/changelog.gz"

  # -- the package
  of=$(basename "$work"/wheel/remanence-*.whl | cut -d- -f2)
  architecture=$(dpkg --print-architecture)
  libraries=$(awk 'NF == 2 { printf ", %s", $2 }' <<<"$SYSTEM_LIBRARIES")
  cat >"$tree/DEBIAN/control" <<CONTROL
Package: remanence
Version: $of
Architecture: $architecture
Section: devel
Priority: optional
Installed-Size: $(du -sk "$tree" | cut -f1)
Maintainer: The Remanence authors <remanence@localhost>
Depends: python3 (>= $version), python3 (<< $next)$libraries
Description: memory of your coding assistants
 Captures what you type to Claude Code, Codex and others, remembers decisions,
 rules and preferences, and gives them to your assistants when they fit. You
 see every memory and why it is there, and can correct or remove it. Local: it
 needs no account, no key and no server.
CONTROL
  mkdir -p "$out"
  package="$out/remanence_${of}_$architecture.deb"
  say "Packing."
  dpkg-deb --root-owner-group -Zxz -z3 --build "$tree" "$package" >/dev/null
  say "Built $package: $(du -h "$package" | cut -f1), Python $version."
}

[ -n "$package" ] || build_package
[ -n "$is_tried" ] || exit 0

# -- in a bare Debian
[ "$(id -u)" = 0 ] || fail "--try needs root: it makes a bare Debian in a folder and installs there."
command -v debootstrap >/dev/null || install_packages debootstrap || fail "debootstrap is needed."
suite=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
archive=$(find /etc/apt -name '*.sources' -o -name '*.list' | sort | xargs cat |
  sed -n '/^URIs: */{s///;s/ .*//;p;q}; /^deb /{s/^deb \(\[[^]]*\] \)\{0,1\}//;s/ .*//;p;q}')
bare="$work/bare"
say "Making a bare Debian ($suite)."
debootstrap --variant=minbase "$suite" "$bare" "$archive" >"$work/debootstrap.log" 2>&1 || {
  tail -n 5 "$work/debootstrap.log" >&2
  fail "debootstrap failed."
}
cp /etc/resolv.conf "$bare/etc/" 2>/dev/null || true
cp -r /etc/apt/apt.conf.d/. "$bare/etc/apt/apt.conf.d/" 2>/dev/null || true
mount -t proc proc "$bare/proc"
release() {
  umount "$bare/proc" 2>/dev/null || true
  [ -n "$is_kept" ] && mv "$bare" "$out/bare" && say "The bare Debian stands in $out/bare."
  rm -rf "$work"
}
trap release EXIT
cp "$package" "$bare/tmp/remanence.deb"

ada=(chroot "$bare" env -i HOME=/home/ada USER=ada PATH=/usr/bin:/bin LANG=C.UTF-8 QT_QPA_PLATFORM=offscreen
  setpriv --reuid=1000 --regid=1000 --clear-groups) # an ordinary person, in a home of their own
say "Installing the package there, with what it depends on."
chroot "$bare" env DEBIAN_FRONTEND=noninteractive sh -c \
  'apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/remanence.deb' >"$work/apt.log" 2>&1 || {
  tail -n 15 "$work/apt.log" >&2
  fail "apt could not install the package."
}
chroot "$bare" sh -c 'echo "ada:x:1000:1000::/home/ada:/bin/sh" >>/etc/passwd; install -d -o 1000 -g 1000 /home/ada'

say "Starting it there."
step() { # what, command…
  local what=$1
  shift
  "$@" >"$work/said" 2>&1 || {
    tail -n 15 "$work/said" >&2
    fail "Failed: $what."
  }
  say "  $what: $(tail -n 1 "$work/said")"
}
step "version" "${ada[@]}" remanence --version
step "a message is kept" "${ada[@]}" remanence window log "add a dark mode"
step "and read again" "${ada[@]}" remanence window load
step "doctor" "${ada[@]}" remanence doctor
step "the window opens" "${ada[@]}" remanence gui --offscreen-smoke
step "on the example, every screen" "${ada[@]}" remanence gui --demo --screenshot-all /home/ada/pictures
say "  pictures: $(find "$bare/home/ada/pictures" -name '*.png' | wc -l)"
"${ada[@]}" remanence serve >"$work/serve" 2>&1 &
server=$! # each of the words before it becomes the next: it is the server itself
is_running() { "${ada[@]}" remanence doctor 2>/dev/null | grep "^ok *socket" | grep -vq "not running"; }
for _ in $(seq 100); do is_running && break || sleep 0.2; done
step "serve answers" is_running
kill -TERM "$server"
wait "$server" || true
kept=$(find "$bare/home/ada" -name remanence.db)
chroot "$bare" dpkg --purge remanence >"$work/said" 2>&1 || fail "The package cannot be taken away: $(tail -n 1 "$work/said")"
[ ! -e "$bare$HOME_OF_APP" ] || fail "Something of the package stays: $(find "$bare$HOME_OF_APP" | head -n 3)"
[ -s "$kept" ] || fail "The person's store went with the package."
say "Installed, started and taken away; the person's store stays."
