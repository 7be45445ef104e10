#!/usr/bin/env bash
# Makes the base image deckhand-base:RELEASE from the distribution's own packages, for where python:3.12-slim cannot be pulled.
# Prints the image's name on stdout, everything else on stderr.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

packages=python3,python3-venv,libstdc++6,tzdata
fonts=fonts-dejavu-core,fonts-liberation,fonts-crosextra-carlito,fonts-wqy-microhei,fonts-symbola # as in the Dockerfile

say() { echo "base: $*" >&2; }
stop() { say "$*"; exit 1; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

if [ -r /etc/os-release ]; then . /etc/os-release; fi
command -v apt-get >/dev/null && [ -n "${VERSION_CODENAME:-}" ] ||
    stop "this is neither Debian nor Ubuntu, so no base image can be made. Set SANDBOX_BASE to an image with Python 3.11 or later."
[ "$(id -u)" = 0 ] || command -v sudo >/dev/null || stop "making the base image needs root: run this as root, or install sudo."
release=$VERSION_CODENAME
image="deckhand-base:$release"
recipe=$(sha256sum "$here/base.sh" | cut -c1-12)

if [ "$(docker image inspect --format '{{index .Config.Labels "deckhand.recipe"}}' "$image" 2>/dev/null)" = "$recipe" ]; then
    say "$image exists."
    echo "$image"
    exit 0
fi

if ! command -v mmdebstrap >/dev/null; then
    say "installing mmdebstrap with apt."
    install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap)
    as_root "${install[@]}" >&2 || { as_root apt-get update -qq >&2 && as_root "${install[@]}" >&2; } ||
        stop "apt could not install mmdebstrap. Check the network and the apt sources, then run this again."
fi

# Where the host gets its packages from, and how (proxy, certificates, retries): only the distribution's own archives.
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
    awk -v r="$release" '($2 == r || index($2, r "-") == 1) && $2 !~ /backports|proposed/ && $3 ~ /^(main|universe)$/ { print "deb " $0 }')
[ -n "$sources" ] || stop "apt has no sources for $release. Repair /etc/apt/sources.list, run apt-get update, then run this again."
acquire=$(mktemp)
trap 'rm -f "$acquire"' EXIT
apt-config dump Acquire | grep -E '^Acquire::(https?|Check|Retries|Force)' >"$acquire" || true

say "making $image from $release packages (about a minute)."
# Sources and settings may hold a mirror's password: they serve the installation and do not stay.
as_root mmdebstrap --quiet --variant=essential --include="$packages,$fonts" --aptopt="$acquire" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt=force-unsafe-io \
    --customize-hook='rm -f "$1"/etc/apt/sources.list "$1"/etc/apt/apt.conf.d/99mmdebstrap "$1"/etc/resolv.conf "$1"/etc/hostname' \
    "$release" - - <<<"$sources" |
    docker import --change "LABEL deckhand.recipe=$recipe" - "$image.partial" >/dev/null || {
    docker image rm "$image.partial" >/dev/null 2>&1
    stop "the base image could not be made; the reason stands above. Check the network and the apt sources, then run this again."
}
docker tag "$image.partial" "$image" # only a whole one gets the name
docker image rm "$image.partial" >/dev/null
echo "$image"
