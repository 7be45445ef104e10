#!/usr/bin/env bash
# ./run.sh FOLDER: runs this run's scripts once more, on the input files in FOLDER, and compares the facts with those of then.
# The files are known by their hashes, whatever their names. Needs Docker; builds the image when it is not here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
say() { echo "bundle: $*"; }
stop() { echo "bundle: $*" >&2; exit 2; }
[ $# -eq 1 ] && [ -d "$1" ] || stop "usage: ./run.sh FOLDER, where FOLDER has the input files (inputs.json names them)"
folder=$(cd "$1" && pwd)
work=$here/work
rm -rf "$work"
mkdir -p "$work/input" "$work/out"

# tab-separated: hash, name for the scripts, name as it was sent
while IFS=$'\t' read -r hash name original; do
    [ -n "$hash" ] || continue
    found=
    for file in "$folder"/*; do
        if [ -f "$file" ] && [ "$(sha256sum <"$file" | cut -d' ' -f1)" = "$hash" ]; then found=$file; break; fi
    done
    [ -n "$found" ] || stop "no file in $folder has the bytes of $original (sha256 $hash)"
    cp -- "$found" "$work/input/$name"
done <"$here/inputs.tsv"
chmod -R a+rX "$work"
skills=$(cd "$here/skills" && for folder in */scripts; do printf ':/workspace/skills/%s' "$folder"; done)

image() { # of a policy: the one of its name, or built from what lies here
    tag=$(cat "$here/policy/$1.image")
    if ! docker image inspect "$tag" >/dev/null 2>&1; then
        [ -x "$here/deploy/sandbox/image.sh" ] || stop "the image $tag is not here"
        "$here/deploy/sandbox/image.sh" >&2
        docker image inspect "$tag" >/dev/null 2>&1 || stop "the image $tag has packages of its own: build it with deckhand sandbox build"
    fi
    docker image inspect --format '{{.Id}}' "$tag"
}

todo() { # POLICY FOLDER SCRIPT…: as the policy has it, without a network
    policy=$1 code=$2
    shift 2
    id=$(image "$policy")
    say "$code in $id"
    mapfile -t flags <"$here/policy/$policy.flags"
    for script in "$@"; do
        say "  $script"
        docker run --rm "${flags[@]}" --security-opt "seccomp=$here/policy/$policy.seccomp.json" \
            --user "$(id -u):$(id -g)" --workdir /workspace/out --env "PYTHONPATH=/workspace/code$skills" \
            --volume "$work/input:/workspace/input:ro" --volume "$here/scripts/$code:/workspace/code:ro" \
            --volume "$here/skills:/workspace/skills:ro" --volume "$here/tools:/workspace/tools:ro" \
            --volume "$work/out:/workspace/out" \
            --entrypoint /opt/venv/bin/python "$id" /workspace/tools/start.py "$script" >"$work/log" 2>&1 ||
            { cat "$work/log" >&2; stop "$code/$script failed; the reason stands above"; }
    done
}

# todos
docker run --rm "${flags[@]}" --user "$(id -u):$(id -g)" --volume "$here:/bundle:ro" --volume "$work/out:/workspace/out:ro" \
    --entrypoint /opt/venv/bin/python "$id" /bundle/tools/compare_facts.py /bundle/facts.json /workspace/out
