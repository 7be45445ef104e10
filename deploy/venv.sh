#!/usr/bin/env bash
# The project's own Python environment, from a lock file with hashes: venv.sh PYTHON FOLDER LOCK
set -euo pipefail
python=$1 folder=$2 lock=$3

say() { printf 'deckhand: %s\n' "$*"; }
fail() { printf 'deckhand: %s\n' "$*" >&2; exit 1; }

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  fail "Python 3.11 or newer is needed; '$python' is not. Install it, or name one: make PYTHON=/path/to/python3.12 …"

if [ ! -x "$folder/bin/python" ]; then
  say "making the Python environment in $folder"
  if ! "$python" -m venv "$folder" 2>/dev/null; then
    rm -rf "$folder"
    if command -v apt-get >/dev/null; then
      sudo=""; [ "$(id -u)" = 0 ] || sudo=sudo
      say "python3-venv is missing: installing it with apt"
      $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends python3-venv >/dev/null ||
        fail "apt could not install python3-venv; install it and try again"
    fi
    "$python" -m venv "$folder" || fail "no environment could be made in $folder"
  fi
fi

say "installing the locked packages of $lock (a minute or two the first time)"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock" ||
  fail "pip could not install $lock; is a package index reachable?"

# `deckhand` on the path of this environment, running the sources of this folder as they are.
here=$(cd "$(dirname "$0")/.." && pwd)
site=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
printf '%s\n' "$here" >"$site/deckhand.pth"
cat >"$folder/bin/deckhand" <<SCRIPT
#!/bin/sh
exec "$here/$folder/bin/python" -m bot "\$@"
SCRIPT
chmod +x "$folder/bin/deckhand"
