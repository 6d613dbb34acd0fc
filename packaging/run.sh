#!/usr/bin/env bash
# Starts Remanence from this checkout; arguments are passed on (packaging/run.sh serve, packaging/run.sh --help).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/_env.sh"
prepare_environment run
exec "$VENV/bin/remanence" "$@"
