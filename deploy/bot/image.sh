#!/usr/bin/env bash
# Builds the image of the bot, deckhand-bot:latest. What has not changed is not built again.
# BOT_BASE: an image with Python 3.11 or later; otherwise python:3.12-slim or, where that cannot be had, one of this system's packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
say() { echo "bot image: $*"; }
stop() { echo "bot image: $*" >&2; exit 1; }
exists() { docker image inspect "$1" >/dev/null 2>&1; }
tag=deckhand-bot:latest
if [ -x .venv/bin/python ]; then python=.venv/bin/python; else python=python3; fi
timeout 10 docker version >/dev/null 2>&1 || stop "no Docker engine answers. Run: make docker"
mkdir -p build
exec 9>build/bot-image.lock
flock 9
began=$(date +%s)

own_base() { base=$(deploy/sandbox/base.sh) || stop "there is no base image. Set BOT_BASE to an image with Python 3.11 or later."; }
if [ -n "${BOT_BASE:-}" ]; then
    base=$BOT_BASE
    exists "$base" || docker pull -q "$base" >/dev/null || stop "BOT_BASE is $base, which is neither here nor can be pulled."
elif exists python:3.12-slim; then
    base=python:3.12-slim
elif [ -n "$(docker image ls -q deckhand-base)" ]; then
    own_base
elif timeout 60 docker pull -q python:3.12-slim >/dev/null 2>&1; then
    base=python:3.12-slim
else
    say "python:3.12-slim cannot be pulled, so the base is made of this system's packages."
    own_base
fi

. deploy/wheels.sh
fetch_wheels requirements.lock build/bot-wheels

# Of the source just what runs: the sandbox's files too, since the name of its image is made of them.
source=(bot agent sandbox skills storage deploy/sandbox pyproject.toml)
docker buildx version >/dev/null 2>&1 || export DOCKER_BUILDKIT=0
tar -c --owner=0 --group=0 --mode=a+rX,go-w --exclude=__pycache__ --transform "s#^$wheels#wheels#" \
    --transform 's#^\(bot\|agent\|sandbox\|skills\|storage\|deploy/sandbox\|pyproject.toml\)\(/\|$\)#source/\1\2#' \
    deploy/bot/Dockerfile requirements.lock "$wheels" "${source[@]}" |
    docker build --network none --build-arg "BASE=$base" --label deckhand.image=bot -f deploy/bot/Dockerfile -t "$tag" - \
        >build/bot-image.log 2>&1 || { tail -n 15 build/bot-image.log >&2 && stop "the build failed; all of it stands in build/bot-image.log."; }
say "$tag on $base, $(($(docker image inspect --format '{{.Size}}' "$tag") / 1000000)) MB ($(($(date +%s) - began)) s)."
