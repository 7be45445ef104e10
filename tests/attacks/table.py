"""Every attack by a script, with its right result. The numbers are those of SECURITY.md."""

import signal
from collections.abc import Iterable
from typing import Any

from sandbox.alerts import AlertCode
from sandbox.session import ExitStatus
from tests.attacks.attack import Attack

_KILLED = 128 + signal.SIGKILL
_LINK = "not a regular file"
_CONTROL = "its name has control characters"
_NO_TEXT = "its name is not UTF-8"
_NO_ROOM = "too large together with the others"


def _timeout(payload: str, *codes: AlertCode, seconds: float = 1.0, **rest: Any) -> Attack:
    killed: dict[str, Any] = {"exit_codes": (_KILLED,)}
    return Attack(
        payload=payload,
        seconds=seconds,
        status=ExitStatus.TIMEOUT,
        alerts=frozenset({AlertCode.TIME_LIMIT, *codes}),
        **(killed | rest),
    )


def _memory(payload: str, variant: str, *codes: AlertCode, **rest: Any) -> Attack:
    end: dict[str, Any] = {"status": ExitStatus.OUT_OF_MEMORY, "exit_codes": (_KILLED,)} | rest
    return Attack(payload=payload, variant=variant, alerts=frozenset({AlertCode.MEMORY_LIMIT, *codes}), **end)


def _disk(payload: str, variant: str = "-", **rest: Any) -> Attack:
    return Attack(
        payload=payload,
        variant=variant,
        status=ExitStatus.DISK_LIMIT,
        exit_codes=(1,),
        alerts=frozenset({AlertCode.DISK_LIMIT}),
        **rest,
    )


def _flood(variant: str) -> Attack:
    return Attack(
        payload="46_flood",
        variant=variant,
        status=ExitStatus.OUTPUT_LIMIT,
        exit_codes=(_KILLED,),
        alerts=frozenset({AlertCode.OUTPUT_LIMIT}),
    )


_KERNEL = (
    Attack(
        payload="01_identity",
        facts={"ids": 1, "root": False, "capabilities": [""], "no_new_privileges": "1", "seccomp": "2"},
    ),
    Attack(payload="03_io_uring", facts={"results": ["EPERM"]}),
    Attack(
        payload="04_sockets",
        facts={
            "others": ["EPERM"],
            "pairs": ["EPERM"],
            "unix": "allowed",
            "python": "EPERM",
            "engine": ["ENOENT"],
            "abstract": "ECONNREFUSED",
            "names": "no answer",
            "interfaces": ["lo"],
            "devices": [],
        },
        alerts=frozenset({AlertCode.SOCKET}),
    ),
    Attack(
        payload="05_system_calls",
        facts={
            "other": {},
            "clone3": "ENOSYS",
            "namespaces": ["EPERM"],
            "i386": True,
            "priority": "EPERM",
            "affinity": "EPERM",
        },
    ),
    Attack(
        payload="05_system_calls",
        variant="foreign",
        status=ExitStatus.ERROR,
        exit_codes=(128 + signal.SIGSYS,),
        alerts=frozenset({AlertCode.SECCOMP_KILL}),
    ),
    Attack(payload="06_setuid_files", facts={"setuid": [], "capable": [], "looked": True}),
    Attack(
        payload="07_devices_and_mounts",
        facts={
            "block": "EPERM",
            "character": "EPERM",
            "mount": "EPERM",
            "remount": "EPERM",
            "chroot": "EPERM",
            "writes": [],
            "devices": [],
            "terminals": ["ENOENT", "ENOENT"],
            "links": "EROFS",
        },
    ),
    Attack(
        payload="08_native_code",
        facts={"direct": ["EACCES"], "refused_by_loader": [True], "no_more_rights": True},
        alerts=frozenset({AlertCode.UNLISTED_PROGRAM}),
    ),
    Attack(
        payload="09_leaked_descriptors",
        facts={
            "open": ["/dev/null", "pipe", "pipe"],
            "working_folder": "/workspace/out",
            "above": True,
            "pid_1": ["EACCES"],
            "descriptors_of_pid_1": "EACCES",
            "runtime": [True],
        },
    ),
    Attack(
        payload="11_user_namespace",
        facts={"unshare": "EPERM", "clone": "EPERM", "join": ["EACCES"], "map": True},
    ),
    Attack(
        payload="15_cgroups_and_cores",
        facts={
            "writable": [],
            "core_pattern": True,
            "trigger": True,
            "group": [True],
            "core_limit": [0, 0],
            "raised": "EPERM",
            "crash": -signal.SIGSEGV,
            "left": [],
        },
    ),
    Attack(
        payload="15_crash",
        status=ExitStatus.ERROR,
        exit_codes=(128 + signal.SIGSEGV,),
        stderr="Segmentation fault",
    ),
    Attack(payload="16_masked_files", facts={"telling": [], "model": False}),
    Attack(
        payload="17_leaks",
        facts={
            "folders": 3,
            "random_names": True,
            "host_name": "sandbox",
            "name_servers": [],
            "searched": [],
            "hosts": [],
            "environment": [],
        },
    ),
    Attack(payload="18_processors", facts={"threads": ["1"], "own": 1}),
)

_FILES = (
    Attack(
        payload="19_links",
        files=("real.csv",),
        skipped=dict.fromkeys(
            (
                "canary.csv",
                "environment.txt",
                "folder",
                "lease",
                "loop",
                "magic",
                "nowhere.csv",
                "report.xlsx",
                "self",
                "sub/inner/names.csv",
                "up",
            ),
            _LINK,
        ),
        alerts=frozenset({AlertCode.SPECIAL_FILE}),
    ),
    Attack(payload="20_swapped_parent", files=None, skipped=None, fresh=True),
    Attack(
        payload="21_pipes",
        facts={"device": "EPERM", "null": "EPERM"},
        skipped={"pipe.csv": _LINK, "socket.csv": _LINK, "white.csv": _LINK},
        alerts=frozenset({AlertCode.SPECIAL_FILE}),
    ),
    Attack(payload="22_hard_links", facts={"results": ["EXDEV"]}, files=("good.csv", "twin.csv")),
    _disk("23_sparse_files", stderr="File too large", files=("hole",)),
    Attack(
        payload="23_sparse_files",
        variant="many",
        files=("hole0", "hole1"),
        skipped=dict.fromkeys(("hole2", "hole3", "hole4"), _NO_ROOM),
        alerts=frozenset({AlertCode.DISK_LIMIT}),
    ),
    _disk("24_full_disk", "bytes", stderr="No space left", files=tuple(f"part{n}" for n in range(5))),
    _disk("24_full_disk", "inodes", files=tuple(sorted(f"f{n}" for n in range(2000)))),
    Attack(payload="25_deep_tree", variant="12", files=None, skipped=None),
    Attack(
        payload="26_forged_names",
        files=(
            "-rf",
            "<!channel>.csv",
            "CON.txt",
            "a:b",
            "blank\u3164.csv",
            "e\u0301.csv",
            "full\uff0fwidth.csv",
            "n" * 255,
            "ok \u0444\u044b.csv",
            "trailing. ",
            "\u00e9.csv",
            "\u044b" * 127,
        ),
        skipped=dict.fromkeys(
            (
                r"esc\x1b[2J.csv",
                r"line\nbreak.csv",
                r"rtl\u202etxt.exe",
                r"tag\U000e0041.csv",
                r"zero\u200bwidth.csv",
            ),
            _CONTROL,
        ),
        alerts=frozenset({AlertCode.FORGED_NAME}),
    ),
    Attack(
        payload="27_names_without_text",
        stdout="bad\ufffd and \ufffd\ufffd\ufffd and \ufffd",
        files=("good.csv",),
        skipped=dict.fromkeys((r"\xed\xa0\x80.csv", r"bad\xff.csv", r"cut\xf0\x9f\x98"), _NO_TEXT),
        alerts=frozenset({AlertCode.FORGED_NAME}),
    ),
    Attack(payload="28_taken_modes", files=("folder/inner/file",)),
    Attack(payload="29_setuid_output", files=("folder/tool", "sticky", "tool")),
    Attack(
        payload="30_programs_as_documents",
        files=(
            "chart.svg",
            "deck.pptx",
            "figures.xlsx",
            "open me.lnk",
            "page.html",
            "report.pdf",
            "setup.exe",
        ),
    ),
    Attack(
        payload="31_times_and_attributes",
        files=("A.csv", "a.csv"),
    ),
    Attack(payload="32_many_files", files=tuple(f"part{n:04d}.csv" for n in range(1200))),
)

_INPUTS = (
    _timeout("34_zip_bomb", seconds=2, files=("bomb.xlsx",)),
    Attack(
        payload="35_entities",
        facts={"laughs": "ParseError", "fetched": "XMLSyntaxError", "picture": "DecompressionBombError"},
    ),
    Attack(payload="36_macros", files=None),
    Attack(
        payload="37_formulas",
        facts={"plain": ["f", "f", "s", "s", "s"], "safe": ["s"] * 5},
        files=("plain.xlsx", "safe.xlsx"),
    ),
    Attack(payload="38_endless_lines", files=("columns.csv", "marked.csv", "one_line.csv")),
)

_RESOURCES = (
    _memory("39_memory", "plain"),
    Attack(
        payload="39_memory", variant="grandchild", stdout="-9\n", alerts=frozenset({AlertCode.MEMORY_LIMIT})
    ),
    _memory("39_memory", "failing", exit_codes=(1,), stdout="-9\n"),
    _memory("39_memory", "array", exit_codes=(1,), stderr="Unable to allocate"),
    _memory("40_memory_as_files", "folders", AlertCode.DISK_LIMIT, files=("big",)),
    _memory("40_memory_as_files", "nameless", stdout="13\n"),
    Attack(payload="41_swap", facts={"limited": True, "no_swap": True}),
    _timeout("42_fork_bomb", AlertCode.PROCESS_LIMIT, variant="processes", seconds=5),
    _timeout("42_fork_bomb", AlertCode.PROCESS_LIMIT, variant="threads", seconds=2),
    _timeout("44_processor", variant="many", seconds=2),
    _timeout("44_processor", variant="self", seconds=10, exit_codes=(128 + signal.SIGXCPU,)),
    Attack(
        payload="45_descriptors_and_queues",
        facts={
            "exhausted": True,
            "raised": "EPERM",
            "locked": "ENOMEM",
            "queue": ["EPERM", True, 0],
            "shared": ["EPERM", "EPERM", "EPERM"],
        },
    ),
    _flood("lines"),
    _flood("one_line"),
    _flood("stderr"),
    Attack(payload="47_long_output"),
    Attack(payload="49_streams_held_open", stdout="sent\n"),
    Attack(
        payload="50_poisoned_output",
        status=ExitStatus.ERROR,
        exit_codes=(3,),
        stdout=(
            "red \ufffd]0;title\ufffd nul\ufffd bad\ufffd \ufffd rtl 10%\n20%\n"
            'J\ufffd\ufffd\ufffd.{"type":"run","exit_code":0,"stdout":"forged"}\n[... 1,000 bytes cut ...]\n'
        ),
    ),
)

_PROCESSES = (
    _timeout("51_children", stdout="begun\n"),
    _timeout("52_deaf"),
    Attack(payload="53_kill_everyone", variant="one", stdout="sent\n"),
    Attack(
        payload="53_kill_everyone", variant="all", status=ExitStatus.KILLED, exit_codes=(_KILLED,), stdout=""
    ),
    Attack(payload="54_daemon", stdout="gone\n", files=("tick",)),
    Attack(payload="55_zombies", stdout="left\n"),
    _timeout("56_stop", variant="itself"),
    _timeout("56_stop", variant="watcher"),
    Attack(
        payload="58_clock",
        facts={"set": "EPERM", "calls": ["EPERM", "EPERM", "EPERM", "EPERM"], "namespace": True},
        files=("late.csv",),
    ),
)

_OTHERS = (
    Attack(
        payload="59_read_only_folders",
        facts={"allowed": [], "reasons": [], "mode": "0o444", "mine": False, "moved": True},
    ),
    Attack(payload="60_planted_modules", variant="plant", files=None),
    Attack(
        payload="61_pickles",
        files=("model.joblib", "model.pkl", "table.feather", "table.npy"),
    ),
)

ATTACKS: Iterable[Attack] = (*_KERNEL, *_FILES, *_INPUTS, *_RESOURCES, *_PROCESSES, *_OTHERS)
