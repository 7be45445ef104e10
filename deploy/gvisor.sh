#!/bin/sh
# Makes sure that gVisor's runsc is here, and tells how to register it with the engine: that is left to the operator,
# since the engine must read its settings anew.
set -eu

say() { echo "gvisor: $*"; }
stop() { echo "gvisor: $*" >&2; exit 1; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
if ! command -v runsc >/dev/null; then
    command -v apt-get >/dev/null || stop "runsc is not here and apt-get neither. Install it by hand (gvisor.dev/docs/user_guide/install)."
    say "installing runsc with apt."
    install="env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends runsc"
    as_root $install >/dev/null || { as_root apt-get update -qq && as_root $install >/dev/null; } ||
        stop "apt could not install runsc. Check the network and the apt sources, then run this again."
fi
say "$(runsc --version | head -n 1) is at $(command -v runsc)."
if docker info --format '{{range $name, $_ := .Runtimes}}{{$name}} {{end}}' 2>/dev/null | grep -qw runsc; then
    say "the engine has it as a runtime: container.runtime: runsc in a policy uses it."
else
    say "for policies with container.runtime: runsc, add to /etc/docker/daemon.json, then: systemctl reload docker"
    echo "  {\"runtimes\": {\"runsc\": {\"path\": \"$(command -v runsc)\", \"runtimeArgs\": [\"--network=none\"]}}}"
fi
