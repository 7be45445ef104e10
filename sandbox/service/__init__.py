"""The sandbox as a service: the only process that needs the Docker socket."""
