"""What the figures were measured on and with."""

import json
import os
import platform
from pathlib import Path

from tests.bench.sandbox.kit import Kit, call

_PEERS = ("llm-sandbox", "jupyter-client", "smolagents", "autogen-ext", "docker")
_ASK = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"


async def describe(image: str, kit: Kit) -> list[str]:
    engine = json.loads(await call("docker", "version", "--format", "{{json .Server}}"))
    parts = {part["Name"]: part["Version"] for part in engine.get("Components", [])}
    versions = json.loads(await call(str(kit.python), "-c", _ASK, *_PEERS))
    kernel = sorted(path.name.removesuffix(".dist-info") for path in kit.kernel.glob("ipykernel-*.dist-info"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    return [
        f"machine: {os.cpu_count()} × {_processor()}, {memory} GiB, Linux {platform.release()}",
        f"engine: Docker {engine['Version']}, runc {parts.get('runc', 'unknown')}, {engine['Arch']}",
        f"image: {image}",
        "peers: " + ", ".join([*(f"{name} {version}" for name, version in versions.items()), *kernel]),
        f"load before the start: {os.getloadavg()[0]:.2f}",
    ]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return " ".join(line.partition(":")[2].split())
    return platform.machine()
