#!/usr/bin/env bash
# Brings the bot and the sandbox service up with Docker Compose: images, folders, both services, and a look at their health.
# DECKHAND_HOME: where everything is kept, data/ within this folder otherwise. With words, compose is given these instead: deploy/up.sh logs -f
set -euo pipefail
cd "$(dirname "$0")/.."
say() { echo "up: $*"; }
stop() { echo "up: $*" >&2; exit 1; }

export DECKHAND_HOME=${DECKHAND_HOME:-$PWD/data/compose}
if [ "$(id -u)" = 0 ]; then uid=9500 gid=9500; else uid=$(id -u) gid=$(id -g); fi
export DECKHAND_UID=${DECKHAND_UID:-$uid} DECKHAND_GID=${DECKHAND_GID:-$gid} DECKHAND_PORT=${DECKHAND_PORT:-8099}
export DOCKER_SOCKET=${DOCKER_SOCKET:-/var/run/docker.sock} DECKHAND_ENV=${DECKHAND_ENV:-$PWD/.env}
DOCKER_GID=$(stat -Lc %g "$DOCKER_SOCKET") || stop "there is no Docker socket at $DOCKER_SOCKET. Set DOCKER_SOCKET."
export DOCKER_GID
# Of the bot's settings the sandbox gets this one alone: it needs no key and no token.
[ ! -r "$DECKHAND_ENV" ] || DECKHAND_SKILLS=${DECKHAND_SKILLS:-$(sed -n 's/^DECKHAND_SKILLS=//p' "$DECKHAND_ENV")}
export DECKHAND_SKILLS

if docker compose version >/dev/null 2>&1; then compose=(docker compose); else compose=(docker-compose); fi
command -v "${compose[0]}" >/dev/null || stop "Docker Compose is not here. Run: apt install docker-compose"
files=(-p "${DECKHAND_PROJECT:-deckhand}" -f deploy/compose.yaml)
[ -z "${DECKHAND_OVERRIDE:-}" ] || files+=(-f "$DECKHAND_OVERRIDE")
if [ $# -gt 0 ]; then exec "${compose[@]}" "${files[@]}" "$@"; fi

grep -q '^TELEGRAM_BOT_TOKEN=.' "$DECKHAND_ENV" 2>/dev/null || stop "$DECKHAND_ENV has no TELEGRAM_BOT_TOKEN. Run: cp .env.example .env, and put the token of @BotFather there."
deploy/sandbox/image.sh
deploy/render/image.sh
deploy/bot/image.sh
for folder in data run sandbox; do # a folder that the engine makes would be root's
    install -d -m 700 -o "$DECKHAND_UID" -g "$DECKHAND_GID" "$DECKHAND_HOME/$folder" ||
        stop "$DECKHAND_HOME/$folder cannot be given to uid $DECKHAND_UID. Set DECKHAND_HOME to a folder that is yours."
done
health() { # prints it when all is well; a machine may have no curl, and a proxy must not stand between
    python3 -c '
import sys, urllib.request as u
print(u.build_opener(u.ProxyHandler({})).open(sys.argv[1], timeout=10).read().decode())' "http://127.0.0.1:$DECKHAND_PORT/health"
}
"${compose[@]}" "${files[@]}" up -d
for _ in $(seq 120); do
    if health 2>/dev/null; then
        "${compose[@]}" "${files[@]}" logs --no-color bot | grep -E '/start|@' || true
        say "it serves. Stop it with deploy/up.sh stop; its log: $DECKHAND_HOME/data/deckhand.log"
        exit 0
    fi
    sleep 1
done
"${compose[@]}" "${files[@]}" logs --no-color --tail 20 >&2
stop "it is not well after two minutes; the reason stands above, or in $DECKHAND_HOME/data/deckhand.log"
