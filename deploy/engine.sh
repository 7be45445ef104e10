#!/bin/sh
# Makes sure that a Docker engine answers: uses the one that is there, else installs and starts Debian's docker.io.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
log="$root/build/dockerd.log"

say() { echo "engine: $*"; }
stop() { echo "engine: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
answers() { timeout 10 docker version >/dev/null 2>&1; }
is_running() { # PIDFILE NAME: does the file name a live process of that name? A killed one that nobody reaped is dead.
    [ -s "$1" ] && grep -q "^Name:[[:space:]]*$2\$" "/proc/$(cat "$1")/status" 2>/dev/null &&
        ! grep -q '^State:[[:space:]]*[ZX]' "/proc/$(cat "$1")/status" 2>/dev/null
}

# An engine that only root may use looks the same from here as one that does not run.
explain_denied() {
    [ ! -S /var/run/docker.sock ] || [ -w /var/run/docker.sock ] || ! is_running /var/run/docker.pid dockerd || stop \
        "the engine runs, but $(id -un) may not use it. Run: sudo usermod -aG docker $(id -un), then log in again and repeat."
}

# /sbin is not in everybody's PATH on Debian, and dockerd needs iptables from there.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
export PATH

if answers; then
    say "Docker $(docker version --format '{{.Server.Version}}') answers, nothing to do."
    exit 0
fi
[ -z "${DOCKER_HOST:-}" ] || stop "DOCKER_HOST is $DOCKER_HOST, but nothing answers there. Start that engine, or unset DOCKER_HOST."
[ "$(uname -s)" = Linux ] || stop "no Docker engine answers. Start Docker Desktop (or another engine), then run this again."
explain_denied

if [ "$(id -u)" = 0 ]; then
    as_root() { "$@"; }
elif have sudo; then
    as_root() { sudo "$@"; }
else
    stop "no Docker engine answers, and starting one needs root: run this as root, install sudo, or ask whoever runs the machine."
fi

apt_install() {
    have apt-get || stop "apt-get is not here, so '$*' cannot be installed. Install and start Docker by hand (docs.docker.com/engine/install)."
    say "installing $* with apt."
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1 && return
    say "apt did not find everything, refreshing its lists once."
    as_root apt-get update -qq >>"$log" 2>&1 || say "apt-get update complained, see $log; trying all the same."
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1 && return
    tail -n 5 "$log" >&2
    stop "apt could not install $*. Check the network and the apt sources ($log), then run this again."
}

wait_for_answer() { # SECONDS: until it answers, or the dockerd that we started has ended
    tries=$(($1 * 5))
    while [ "$tries" -gt 0 ]; do
        answers && return 0
        explain_denied
        [ -z "${started:-}" ] || kill -0 "$started" 2>/dev/null || as_root kill -0 "$started" 2>/dev/null || return 1
        tries=$((tries - 1))
        sleep 0.2
    done
    return 1
}

start_dockerd() { # PATH OPTIONS...
    with_path=$1
    shift
    # A pid file survives a crash or a reboot, its number may then belong to another program, and dockerd would refuse to start.
    for pair in docker.pid:dockerd docker/containerd/containerd.pid:containerd; do
        is_running "/var/run/${pair%:*}" "${pair#*:}" || as_root rm -f "/var/run/${pair%:*}"
    done
    echo "=== dockerd $*" >>"$log"
    as_root env PATH="$with_path" setsid nohup dockerd "$@" >>"$log" 2>&1 </dev/null &
    started=$!
    wait_for_answer 45
}

mkdir -p "$root/build"
: >"$log"
have dockerd || apt_install docker.io iptables
have iptables || apt_install iptables
have docker || apt_install docker-cli # a package of its own from Debian 13 on

if [ -d /run/systemd/system ]; then
    say "starting docker with systemd."
    as_root systemctl enable --now docker >>"$log" 2>&1 || stop "systemd could not start docker. See: journalctl -u docker -n 50"
    wait_for_answer 45 || stop "docker was started but does not answer. See: journalctl -u docker -n 50"
elif is_running /var/run/docker.pid dockerd && say "a dockerd is starting already, waiting for it." && wait_for_answer 45; then
    :
else
    ! is_running /var/run/docker.pid dockerd || stop "dockerd runs (process $(cat /var/run/docker.pid)) but does not answer. End it, then run this again."
    say "starting dockerd in the background, its log is $log."
    if ! start_dockerd "$PATH"; then
        network_is_to_blame() { grep -Eqi 'iptables|nf_tables|nftables|network controller|bridge' "$log"; }
        if network_is_to_blame && have iptables-legacy; then
            say "dockerd ended because of iptables; trying again with iptables-legacy."
            mkdir -p "$root/build/iptables-legacy"
            for name in iptables ip6tables; do ln -sf "$(command -v $name-legacy)" "$root/build/iptables-legacy/$name"; done
            start_dockerd "$root/build/iptables-legacy:$PATH" || started=
        fi
        if ! answers && network_is_to_blame; then
            say "trying again without iptables and bridge: containers get no network, which the sandbox does not need."
            start_dockerd "$PATH" --iptables=false --ip6tables=false --bridge=none || started=
        fi
    fi
    if ! answers; then
        grep -E 'level=(error|fatal)|failed|Error' "$log" | tail -n 5 >&2
        ! grep -qi 'devices cgroup' "$log" || say "the kernel's control groups are not mounted: apt install cgroupfs-mount, then run this again."
        stop "dockerd does not start. The reason is in $log; an unprivileged container, for example, cannot run an engine."
    fi
fi
say "Docker $(docker version --format '{{.Server.Version}}') answers."
