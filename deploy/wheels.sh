# Sourced by the scripts that build images: fetches the packages of a lock file for the Python of a base image.
# They use $python, $base, say and stop, and get the folder's name in $wheels.

# LOCK FOLDER: into FOLDER/KEY, by the host's pip with its mirror, proxy and certificates
fetch_wheels() {
    version=$(docker run --rm --network none --entrypoint python3 "$base" -c \
        'import sys; assert sys.version_info >= (3, 11), sys.version; print("%d.%d" % sys.version_info[:2])') ||
        stop "$base has no Python 3.11 or later. Choose another base."
    case $(docker version --format '{{.Server.Arch}}') in
        amd64) machine=x86_64 ;;
        arm64) machine=aarch64 ;;
        *) stop "the engine's processor is neither amd64 nor arm64; the libraries have no wheels for it." ;;
    esac
    wheels=$2/$(cat "$1" - <<<"$version $machine" | sha256sum | cut -c1-12)
    if [ -d "$wheels" ]; then
        say "wheels in $wheels are those of the lock."
        return
    fi
    start=$(date +%s)
    "$python" -m pip --version >/dev/null 2>&1 || python=python3
    "$python" -m pip --version >/dev/null 2>&1 || stop "there is no pip. Run: make venv, or apt install python3-pip"
    say "fetching wheels for Python $version on $machine with $python -m pip."
    platforms=(--platform "manylinux2014_$machine") # the older name of 2_17, which pip takes for another
    for glibc in 28 27 26 24 17 12 5; do platforms+=(--platform "manylinux_2_${glibc}_$machine"); done
    rm -rf "$2"
    mkdir -p "$wheels.partial"
    "$python" -m pip download -qq --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
        --python-version "$version" --implementation cp "${platforms[@]}" -d "$wheels.partial" -r "$1" ||
        stop "pip could not fetch the packages of $1. Check the network and pip's index (pip config list), then run this again."
    mv "$wheels.partial" "$wheels" # only a whole one gets the name
    say "wheels fetched: $(du -sh "$wheels" | cut -f1) ($(($(date +%s) - start)) s)."
}
