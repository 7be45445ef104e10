#!/usr/bin/env bash
# Proves compose.yaml on this machine, with Debian's docker-compose where no other is there: see tests/e2e/compose.py.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! docker compose version >/dev/null 2>&1 && ! command -v docker-compose >/dev/null; then
    if [ "$(id -u)" = 0 ]; then as_root() { "$@"; }; else as_root() { sudo "$@"; }; fi
    install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker-compose)
    as_root "${install[@]}" >/dev/null || { as_root apt-get update -qq && as_root "${install[@]}" >/dev/null; }
fi
exec .venv/bin/python -m tests.e2e.compose
