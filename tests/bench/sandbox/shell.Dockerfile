# The sandbox image with a shell and what some peers call by name. All else is the same, layer for layer.
ARG BASE
ARG IMAGE
FROM ${BASE} AS base
FROM ${IMAGE}
COPY --from=base /usr/bin/dash /usr/bin/sh
COPY --from=base /usr/bin/mkdir /usr/bin/chown /usr/bin/echo /usr/bin/sleep /usr/bin/timeout /usr/bin/
