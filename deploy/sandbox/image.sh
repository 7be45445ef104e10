#!/usr/bin/env bash
# Builds the sandbox image, unless the one of exactly these inputs exists. SANDBOX_BASE chooses another base image.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"

say() { echo "image: $*"; }
stop() { echo "image: $*" >&2; exit 1; }
exists() { docker image inspect "$1" >/dev/null 2>&1; }
complete() { [ -n "$(docker image inspect --format '{{index .Config.Labels "deckhand.base"}}' "$1" 2>/dev/null)" ]; } # and not of before there were labels
took() { echo "$(($(date +%s) - $1)) s"; }

if [ -x .venv/bin/python ]; then python=.venv/bin/python; else python=python3; fi
name_image() { PYTHONPATH=$root "$python" -m sandbox.images; }
tag=$(name_image) || stop "cannot name the image: a file of it is missing (see above). Restore it with git checkout."

# An image is in use while a tag deckhand-keep:* is on it: one of each source tree, moved along here, and one of each policy with
# packages of its own (sandbox/derive.py). Of the others those of the last day stay, the newest two, and those that a container has.
# What was built before there were labels is never touched.
keep_and_prune() {
    docker tag "$tag" "deckhand-keep:tree-$(pwd -P | sha256sum | cut -c1-12)"
    spare=0
    yesterday=$("$python" -c 'import datetime as d; print((d.datetime.now(d.timezone.utc) - d.timedelta(days=1)).isoformat())')
    for id in $(docker image ls -q --no-trunc --filter label=deckhand.image=sandbox | awk '!seen[$0]++'); do # the newest first
        tags=$(docker image inspect --format '{{join .RepoTags " "}}' "$id" 2>/dev/null) || continue
        case $tags in '' | *deckhand-keep:*) continue ;; esac
        spare=$((spare + 1))
        if [ "$spare" -le 2 ] || [[ $(docker image inspect --format '{{.Created}}' "$id") > $yesterday ]] || [ -n "$(docker ps -aq --filter "ancestor=$id")" ]; then continue; fi
        # shellcheck disable=SC2086 # one word a tag
        docker image rm $tags >/dev/null 2>&1 && say "removed $tags, which nothing uses." || true
    done
}

if complete "$tag"; then
    say "$tag exists, nothing to do."
    keep_and_prune
    exit 0
fi
timeout 10 docker version >/dev/null 2>&1 || stop "no Docker engine answers. Run: make docker"

mkdir -p build
exec 9>build/image.lock
if command -v flock >/dev/null && ! flock -n 9; then
    say "another build is under way, waiting for it."
    flock 9
    if complete "$tag"; then say "$tag exists now." && keep_and_prune; exit 0; fi
fi
began=$(date +%s)

own_base() { # only there the fonts are in the base, and the build needs no network
    start=$(date +%s)
    base=$(deploy/sandbox/base.sh) || stop "there is no base image. Set SANDBOX_BASE to an image with Python 3.11 or later to use that."
    network=none
    say "base $base ($(took "$start"))."
}

network=host # apt fetches the fonts; the host's network knows its proxies and name servers
if [ -n "${SANDBOX_BASE:-}" ]; then
    base=$SANDBOX_BASE
    exists "$base" || docker pull -q "$base" >/dev/null || stop "SANDBOX_BASE is $base, which is neither here nor can be pulled."
elif exists python:3.12-slim; then
    base=python:3.12-slim
elif [ -n "$(docker image ls -q deckhand-base)" ]; then
    own_base # it was made because nothing could be pulled: do not wait for that again
elif say "pulling python:3.12-slim (at most a minute)." && timeout 60 docker pull -q python:3.12-slim >/dev/null 2>&1; then
    base=python:3.12-slim
else
    say "python:3.12-slim cannot be pulled, so the base is made of this system's packages."
    own_base
fi

. deploy/wheels.sh

build() { # sends just what the image needs, with modes that do not depend on the host's umask
    start=$(date +%s)
    say "building $tag on $base."
    options=(--network "$network" --build-arg "BASE=$base" -f deploy/sandbox/Dockerfile -t "$tag")
    options+=(--label deckhand.image=sandbox --label "deckhand.base=$(docker image inspect --format '{{.Id}}' "$base")")
    docker buildx version >/dev/null 2>&1 || { export DOCKER_BUILDKIT=0 && options+=(--force-rm); }
    tar -c --owner=0 --group=0 --mode=a+rX,go-w --exclude=__pycache__ --transform "s#^$wheels#wheels#" \
        deploy/sandbox sandbox/guest "$wheels" |
        docker build "${options[@]}" - >build/image.log 2>&1 && return
    tail -n 15 build/image.log >&2
    return 1
}

fetch_wheels deploy/sandbox/requirements.lock build/wheels
if ! build; then
    [ "$network" = host ] && [ -z "${SANDBOX_BASE:-}" ] || stop "the build failed; the reason stands above, all of it in build/image.log."
    say "the build on $base failed (the fonts need apt and a network), trying with a base of this system's packages."
    own_base
    fetch_wheels deploy/sandbox/requirements.lock build/wheels
    build || stop "the build failed; the reason stands above, all of it in build/image.log."
fi
if [ "$(name_image)" != "$tag" ]; then
    docker image rm "$tag" >/dev/null
    say "the image's files changed during the build, so it is built again."
    exec deploy/sandbox/image.sh
fi
# The first stage stays as the cache of the next build; those of earlier recipes are waste, 1.5 GB each.
docker image ls -q --filter dangling=true --filter label=deckhand.stage=root | tail -n +2 | xargs -r docker image rm >/dev/null 2>&1 || true
say "built in $(took "$start"): $tag, $(($(docker image inspect --format '{{.Size}}' "$tag") / 1000000)) MB, $(took "$began") in all."
keep_and_prune
