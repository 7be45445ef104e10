#!/usr/bin/env bash
# Renew the lock files. They hold names, versions and hashes; addresses are the business of whoever installs.
set -euo pipefail
cd "$(dirname "$0")/.."
compile() { uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header "$@"; }

compile pyproject.toml -o requirements.lock
# One version per package: the host's pip judges version markers by its own Python, not by the image's.
compile --fork-strategy fewest deploy/sandbox/requirements.in -o deploy/sandbox/requirements.lock
compile --group dev --group guest pyproject.toml -c requirements.lock -c deploy/sandbox/requirements.lock \
  -o requirements-dev.lock
for name in requirements:peers kernel:kernel; do
  compile --fork-strategy fewest "tests/bench/sandbox/${name%:*}.in" -o "tests/bench/sandbox/${name#*:}.lock"
done
