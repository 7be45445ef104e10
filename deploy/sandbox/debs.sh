#!/bin/sh
# Fetches Debian packages into the current folder: `debs.sh resolve NAME[=VERSION]...` with all that they need, `debs.sh fetch NAME=VERSION...` just those.
# derive.py runs it on the host, with APT_CONFIG telling apt to look at the image's packages instead of the host's, or in a container of the base image.
set -eu
how=$1
shift
apt-get -qq update >&2
if [ "$how" = resolve ]; then
    plan=$(apt-get -qq -s --no-install-recommends install "$@")
    # A package of the image that changed would take the libraries, and Python itself, away from under what was built on them.
    if echo "$plan" | grep -E '^(Remv |Inst [^ ]+ \[)' >&2; then
        echo "these packages of the base image would change: it is too old for what is asked" >&2
        exit 1
    fi
    # shellcheck disable=SC2046 # neither names nor versions have spaces
    set -- $(echo "$plan" | sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p')
fi
[ $# = 0 ] || apt-get -qq download "$@" >&2
