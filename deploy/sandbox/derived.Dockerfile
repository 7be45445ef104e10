# The sandbox image with what a policy or a skill adds: Debian packages, Python packages. sandbox/derive.py sends the context:
# debs/ and wheels/, fetched and checked beforehand, so that nothing here needs a network, and wheels/requirements.txt with their hashes.
# IMAGE, the sandbox image, has neither shell nor dpkg: packages are installed on the BASE it was made of, and what is new is copied over.
ARG BASE
ARG IMAGE

FROM ${IMAGE} AS usual

FROM ${BASE} AS extra
LABEL deckhand.stage=extra
# The sandbox image's list of packages may be longer than the base's: fonts.
COPY --from=usual /var/lib/dpkg/status /var/lib/dpkg/status
COPY debs/ /debs/
# Lines that begin with = are shown as progress.
# Whatever has changed since /before is new; a file's own date is the package's, its change time is not.
# It is copied without its extended attributes, among which are capabilities.
RUN set -eu; \
    touch /before; \
    rm -f /debs/none; \
    [ -z "$(ls /debs)" ] || echo "= installing the Debian packages"; \
    [ -z "$(ls /debs)" ] || DEBIAN_FRONTEND=noninteractive dpkg --force-unsafe-io \
        --path-exclude='/usr/share/doc/*' --path-include='/usr/share/doc/*/copyright' --path-exclude='/usr/share/man/*' \
        --path-exclude='/usr/share/info/*' --path-exclude='/usr/share/locale/*' --path-exclude='/usr/share/lintian/*' \
        --install /debs/*.deb; \
    echo "= copying what is new"; \
    mkdir /new; \
    find / -xdev -cnewer /before ! -type d ! -path /changed ! -path '/tmp/*' ! -path '/root/*' ! -path '/var/log/*' ! -path '/var/cache/*' \
        ! -path '/var/lib/apt/*' ! -path '/var/lib/dpkg/?*/*' ! -path '/var/lib/dpkg/*-old' ! -path '/var/lib/dpkg/*lock*' \
        ! -path '/etc/apt/*' ! -path '/etc/dpkg/*' ! -path '/etc/resolv.conf' ! -path '/etc/host*' ! -name '*.pyc' -print0 >/changed; \
    xargs --null --no-run-if-empty cp --no-dereference --preserve=mode,timestamps,links --parents --target-directory /new </changed; \
    for folder in bin sbin local/bin local/sbin; do \
        [ ! -d /new/usr/$folder ] || find /new/usr/$folder -regextype posix-extended -regex \
            '.*/(sh|[a-z]*(ash|ksh|csh|zsh)[0-9.-]*|fish|busybox|apt.*|dpkg.*|pip.*|npm|npx|su|sudo|mount|umount)' -delete; \
    done; \
    chmod -R a+rX,go-w,a-s /new
COPY wheels/ /wheels/
# Over the environment of the sandbox image, whose packages these fit: they were resolved with its versions fixed.
RUN set -eu; \
    [ -s /wheels/requirements.txt ] || exit 0; \
    packages=/opt/venv/lib/$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')/site-packages; \
    echo "= installing the Python packages"; \
    python3 -m pip --version >/dev/null 2>&1 || export PYTHONPATH="$(echo /usr/share/python-wheels/pip-*.whl)"; \
    python3 -m pip install -q --root-user-action ignore --disable-pip-version-check --no-cache-dir --no-compile --no-index --no-deps \
        --find-links /wheels --require-hashes -r /wheels/requirements.txt --target "/new$packages"; \
    rm -rf "/new$packages/bin"; \
    python3 -m compileall -q --invalidation-mode unchecked-hash -s /new -p / "/new$packages" || true; \
    chmod -R a+rX,go-w,a-s "/new$packages"

FROM ${IMAGE}
COPY --from=extra /new/ /
