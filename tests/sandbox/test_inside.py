"""The hardening, read back from inside a container with the default policy."""

# ruff: noqa: E501  # scripts for the guest stand in strings

import json
import platform
from typing import Any

import pytest

from sandbox.policy import Policy
from sandbox.session import SandboxSession

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="session")]

_PROBE = """
import ctypes, errno, json, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)
facts = {}

def syscall(number, *arguments):
    ctypes.set_errno(0)
    value = libc.syscall(number, *arguments)
    return 0 if value >= 0 else ctypes.get_errno()

def attempt(work):
    try:
        work()
    except OSError as error:
        return error.errno
    return 0

with open('/proc/self/status') as file:
    facts['status'] = dict(line.rstrip().split(':\\t', 1) for line in file if ':\\t' in line)
facts['ids'] = [os.getuid(), os.geteuid(), os.getgid(), os.getegid(), *os.getgroups()]
with open('/proc/self/mountinfo') as file:
    facts['mounts'] = {line.split()[4]: [line.split()[5], line.split(' - ')[1].split()[0], line.split(' - ')[1].split()[2]] for line in file}
facts['sockets'] = {name: attempt(lambda: socket.socket(family, kind).close()) for name, family, kind in (
    ('unix', socket.AF_UNIX, socket.SOCK_STREAM), ('inet', socket.AF_INET, socket.SOCK_STREAM),
    ('inet6', socket.AF_INET6, socket.SOCK_DGRAM), ('netlink', socket.AF_NETLINK, socket.SOCK_RAW),
    ('vsock', socket.AF_VSOCK, socket.SOCK_STREAM), ('packet', socket.AF_PACKET, socket.SOCK_RAW),
    ('alg', socket.AF_ALG, socket.SOCK_SEQPACKET))}
facts['pair'] = attempt(lambda: socket.socketpair())
facts['interfaces'] = os.listdir('/sys/class/net')
with open('/etc/resolv.conf') as file:
    facts['resolv'] = file.read()
facts['hostname'] = socket.gethostname()
numbers = {'ptrace': 101, 'keyctl': 250, 'add_key': 248, 'request_key': 249, 'mount': 165, 'umount2': 166, 'unshare': 272,
    'setns': 308, 'process_vm_readv': 310, 'process_vm_writev': 311, 'kcmp': 312, 'bpf': 321, 'perf_event_open': 298,
    'userfaultfd': 323, 'io_uring_setup': 425, 'open_by_handle_at': 304, 'pidfd_getfd': 438, 'fsopen': 430,
    'move_mount': 429, 'open_tree': 428, 'process_madvise': 440, 'shmget': 29, 'semget': 64, 'msgget': 68, 'mq_open': 240,
    'chroot': 161, 'pivot_root': 155, 'personality': 135, 'clock_settime': 227, 'syslog': 103, 'memfd_secret': 447,
    'migrate_pages': 256, 'move_pages': 279, 'ioprio_set': 251, 'rt_sigqueueinfo': 129, 'sync': 162, 'syncfs': 306}
facts['denied'] = {name: syscall(number, 0, 0, 0, 0, 0, 0) for name, number in numbers.items()}
facts['clone3'] = syscall(435, 0, 0)
facts['clone_newuser'] = syscall(56, 0x10000000 | 17, 0, 0, 0, 0)
facts['prlimit_self'] = attempt(lambda: resource.prlimit(0, resource.RLIMIT_NOFILE))
facts['prlimit_other'] = attempt(lambda: resource.prlimit(1, resource.RLIMIT_NOFILE))
facts['affinity_other'] = attempt(lambda: os.sched_setaffinity(1, {0}))
facts['renice_other'] = attempt(lambda: os.setpriority(os.PRIO_PROCESS, 1, 19))
facts['renice_user'] = attempt(lambda: os.setpriority(os.PRIO_USER, 0, 19))
facts['limits'] = {name: resource.getrlimit(getattr(resource, 'RLIMIT_' + name.upper())) for name in ('core', 'nofile', 'cpu', 'fsize', 'msgqueue')}
facts['writes'] = {path: attempt(lambda: open(path + '/x', 'w').close()) for path in ('/', '/etc', '/opt', '/workspace', '/workspace/input', '/workspace/code', '/workspace/skills', '/usr', '/proc/sys/kernel', '/dev/mqueue', '/sys/fs/cgroup')}
facts['mknod'] = attempt(lambda: os.mknod('/workspace/out/disk', 0o060666, os.makedev(8, 0)))
facts['pid1'] = {name: attempt(lambda: open('/proc/1/' + name, 'rb').read(1)) for name in ('mem', 'environ', 'maps')}
facts['pid1']['fd'] = attempt(lambda: os.listdir('/proc/1/fd'))
facts['pid1_adj'] = attempt(lambda: open('/proc/1/oom_score_adj', 'w').write('1000'))
facts['fds'] = sorted(int(name) for name in os.listdir('/proc/self/fd'))[:3]
facts['open_fds'] = len(os.listdir('/proc/self/fd'))
facts['environment'] = dict(os.environ)
facts['stdin'] = os.read(0, 10).decode()
facts['setuid'] = [os.path.join(f, n) for f, _, names in os.walk('/', onerror=None) if not f.startswith(('/proc', '/sys'))
    for n in names if os.lstat(os.path.join(f, n)).st_mode & 0o6000]
cgroup = '/sys/fs/cgroup/'
def first(*paths):
    for path in paths:
        if os.path.exists(cgroup + path):
            return open(cgroup + path).read().split()
facts['memory'] = first('memory.max', 'memory/memory.limit_in_bytes')
facts['pids'] = first('pids.max', 'pids/pids.max')
facts['cpu'] = first('cpu.max', 'cpu/cpu.cfs_quota_us')
out = os.statvfs('/workspace/out')
facts['out'] = [out.f_blocks * out.f_frsize, out.f_files]
facts['terminals'] = [attempt(lambda: os.open(path, os.O_RDWR | os.O_NOCTTY)) for path in ('/dev/ptmx', '/dev/pts/ptmx')]
facts['offers'] = attempt(lambda: open('/proc/self/oom_score_adj', 'w').write('500'))
facts['devices'] = [attempt(lambda: open(path, 'w').close()) for path in ('/dev/null', '/dev/zero', '/dev/full', '/dev/stdout')]
facts['masked'] = [os.path.exists('/proc/kcore') and open('/proc/kcore').read(1), os.listdir('/sys/firmware'), os.listdir('/dev/mqueue')]
print(json.dumps(facts))
"""

_I386 = """
import ctypes, mmap, os, signal
pid = os.fork()
if pid == 0:
    # mov eax, 20 (getpid); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""

EPERM, EACCES, EROFS, ENOENT, ENOSYS = 1, 13, 30, 2, 38


@pytest.fixture(scope="module")
def facts_cache() -> dict[str, Any]:
    return {}


async def _facts(session: SandboxSession, cache: dict[str, Any]) -> dict[str, Any]:
    if not cache:
        await session.write("probe.py", _PROBE)
        result = await session.run("probe.py")
        assert result.succeeded, result.stderr
        cache.update(json.loads(result.stdout))
    return cache


async def test_nothing_of_the_user_is_root(
    docker_session: SandboxSession, facts_cache: dict[str, Any], docker_policy: Policy
) -> None:
    facts = await _facts(docker_session, facts_cache)
    uids = range(docker_policy.container.uids.first, docker_policy.container.uids.last + 1)
    assert set(facts["ids"]) <= set(uids)
    assert len(set(facts["ids"])) == 1
    status = facts["status"]
    assert {int(status[name], 16) for name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb")} == {0}
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    assert facts["setuid"] == []


async def test_there_is_no_network_of_any_kind(
    docker_session: SandboxSession, facts_cache: dict[str, Any]
) -> None:
    facts = await _facts(docker_session, facts_cache)
    sockets = facts["sockets"]
    assert sockets.pop("unix") == 0
    assert set(sockets.values()) == {EPERM}, sockets
    assert facts["pair"] == 0
    assert facts["interfaces"] == ["lo"]
    assert facts["hostname"] == "sandbox"
    servers = [line.split()[1] for line in facts["resolv"].splitlines() if line.startswith("nameserver")]
    assert set(servers) <= {"127.0.0.1"}
    assert "search" not in facts["resolv"].replace("search .", "")


async def test_dangerous_system_calls_are_refused(
    docker_session: SandboxSession, facts_cache: dict[str, Any]
) -> None:
    facts = await _facts(docker_session, facts_cache)
    assert set(facts["denied"].values()) == {EPERM}, facts["denied"]
    assert facts["clone3"] == ENOSYS
    assert facts["clone_newuser"] == EPERM
    assert facts["prlimit_self"] == 0
    others = ("prlimit_other", "affinity_other", "renice_other", "renice_user")
    assert {facts[name] for name in others} <= {EPERM, EACCES}


async def test_system_calls_of_the_32_bit_kind_are_fatal(docker_session: SandboxSession) -> None:
    await docker_session.write("i386.py", _I386)
    result = await docker_session.run("i386.py")
    assert result.stdout.strip() in ("-31", "-11"), (
        result
    )  # SIGSYS; SIGSEGV where the kernel has no such calls


async def test_only_out_and_tmp_can_be_written(
    docker_session: SandboxSession, facts_cache: dict[str, Any]
) -> None:
    facts = await _facts(docker_session, facts_cache)
    assert set(facts["writes"].values()) <= {EROFS, EACCES, ENOENT, EPERM}, facts["writes"]
    mounts = facts["mounts"]
    assert mounts["/"][0].startswith("ro")
    for folder in ("input", "code", "skills"):
        assert mounts[f"/workspace/{folder}"][0].startswith("ro")
    for path in ("/tmp", "/workspace/out", "/dev/shm"):
        options, kind, _ = mounts[path]
        assert kind == "tmpfs"
        assert {"rw", "nosuid", "nodev", "noexec"} <= set(options.split(","))
    assert facts["mknod"] == EPERM
    assert facts["terminals"] == [ENOENT, ENOENT]  # they would be the whole host's
    assert facts["devices"] == [0, 0, 0, 0]
    assert facts["masked"][0] in ("", False)  # some kernels have no kcore
    assert facts["masked"][1:] == [[], []]


async def test_no_path_of_the_host_tells_who_someone_is(
    docker_session: SandboxSession, facts_cache: dict[str, Any]
) -> None:
    facts = await _facts(docker_session, facts_cache)
    assert "shared-todo" not in json.dumps(facts["mounts"])
    assert set(facts["environment"]) <= {
        "PATH", "HOME", "LOGNAME", "LANG", "HOSTNAME", "MPLBACKEND", "MPLCONFIGDIR", "MATPLOTLIBRC",
        "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONSAFEPATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "POLARS_MAX_THREADS", "ARROW_IO_THREADS", "LOKY_MAX_CPU_COUNT",
        "JE_ARROW_MALLOC_CONF",
    }  # fmt: skip


async def test_limits_are_in_force(
    docker_session: SandboxSession, facts_cache: dict[str, Any], docker_policy: Policy
) -> None:
    facts = await _facts(docker_session, facts_cache)
    assert facts["memory"] == [str(docker_policy.resources.memory)]
    assert facts["pids"] == [str(docker_policy.resources.pids)]
    assert facts["cpu"][0] == "100000"
    assert facts["out"] == [docker_policy.out.size, docker_policy.out.files + 1]
    limits = facts["limits"]
    assert limits["core"] == [0, 0]
    assert limits["nofile"] == [1024, 1024]
    assert limits["fsize"][0] == docker_policy.out.size
    assert limits["msgqueue"] == [0, 0]
    assert limits["cpu"][0] == docker_policy.resources.timeout + 1


async def test_pid_1_is_closed_to_scripts(
    docker_session: SandboxSession, facts_cache: dict[str, Any]
) -> None:
    facts = await _facts(docker_session, facts_cache)
    assert set(facts["pid1"].values()) <= {EACCES, EPERM}
    assert facts["pid1_adj"] in (EACCES, EPERM)
    assert facts["offers"] == EACCES  # a script stays the out-of-memory killer's first choice
    assert facts["fds"] == [0, 1, 2]
    assert facts["open_fds"] == 4  # and the one that lists them
    assert facts["stdin"] == ""


_STARTS = """
import multiprocessing, os, subprocess, sys

def attempt(*words, **how):
    try:
        return subprocess.run(words, capture_output=True, text=True, **how).stdout.strip()
    except OSError as error:
        return error.errno

if __name__ == '__main__':
    libc = next(line.split()[-1] for line in open('/proc/self/maps') if line.rstrip().endswith('/libc.so.6'))
    multiprocessing.set_start_method('spawn')
    with multiprocessing.Pool(2) as pool:
        spawned = pool.map(abs, [-1, -2])
    print([attempt(sys.executable, '-c', 'print(1)'), attempt('python3', '-c', 'print(2)'), attempt(libc) , attempt('sh')], spawned)
"""


async def test_only_listed_programs_start(docker_session: SandboxSession) -> None:
    """The C library is a program too, and the only one in the image beside Python."""
    await docker_session.write("starts.py", _STARTS)
    result = await docker_session.run("starts.py")
    assert result.stdout == f"['1', '2', {EACCES}, {ENOENT}] [1, 2]\n", result


_NATIVE = """
import os
program = open('/usr/bin/python3', 'rb').read()
memory = os.memfd_create('program')
os.write(memory, program)
if os.fork() == 0:
    os.execve(memory, ['x', '-c', 'print(1)'], {})
os.wait()
os.execv('/lib64/ld-linux-x86-64.so.2', ['x', '/usr/bin/python3', '-c', 'print(2)'])
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the loader has another name elsewhere")
async def test_the_list_of_programs_is_depth_and_no_boundary(docker_session: SandboxSession) -> None:
    """Told as it is: native code from memory runs. What it then may do is bounded by the rest."""
    await docker_session.write("native.py", _NATIVE)
    assert (await docker_session.run("native.py")).stdout == "1\n2\n"
