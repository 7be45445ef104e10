"""Addresses that no setting may send us to: where a cloud answers its machines with their credentials."""

import socket
from contextlib import suppress
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

_NETWORKS = tuple(map(ip_network, ("169.254.0.0/16", "fe80::/10", "fd00:ec2::/32", "100.100.100.200/32")))
_NAMES = ("metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal")


def host_of_metadata(url: str) -> str | None:
    """The host, if `url` names one of those addresses, however it is spelt. No name is looked up.

    Raises: ValueError: it is no address at all.
    """
    host = urlsplit(url).hostname or ""
    plain = host.rstrip(".").partition("%")[0]
    with suppress(OSError):
        plain = socket.inet_ntoa(socket.inet_aton(plain))  # 2852039166 and 0xa9.0xfe.43518 are numbers too
    try:
        address = ip_address(plain)
    except ValueError:
        return host if plain in _NAMES else None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return host if any((mapped or address) in network for network in _NETWORKS) else None
