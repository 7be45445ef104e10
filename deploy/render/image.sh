#!/usr/bin/env bash
# Builds the image in which results are made pictures: the sandbox image with LibreOffice, from Debian's packages (sandbox/policies/render.yaml).
# Without it all else works, so that it cannot be built is told and is no failure.
set -uo pipefail
cd "$(dirname "$0")/../.."
say() { echo "render image: $*"; }

[ -x .venv/bin/python ] || { say "there is no .venv yet, so results will have no previews. Run: make image" && exit 0; }
began=$(date +%s)
mkdir -p build
# In a folder of its own: the packages that it fetches are no data of anybody's.
if ! DECKHAND_DATA=build/render .venv/bin/python -m bot sandbox build --rendering >build/render-image.log 2>&1; then
    tail -n 5 build/render-image.log >&2
    say "it could not be built, so results will have no previews; all else works. It needs Debian's packages: check the network, and run: make image"
    exit 0
fi
say "$(tail -n 1 build/render-image.log) ($(($(date +%s) - began)) s)"
