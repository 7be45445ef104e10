"""Scripts are forks of one warm process, and must not notice."""

import pytest

from sandbox.session import SandboxSession

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="session")]


async def test_random_numbers_differ_between_runs(docker_session: SandboxSession) -> None:
    await docker_session.write(
        "dice.py", "import random, numpy\nprint(random.random(), numpy.random.rand())\n"
    )
    first, second = await docker_session.run("dice.py"), await docker_session.run("dice.py")
    assert first.stdout != second.stdout
    assert first.stdout.split()[1] != second.stdout.split()[1]


async def test_libraries_work_after_the_fork(docker_session: SandboxSession) -> None:
    source = """
import concurrent.futures, multiprocessing, subprocess, sys
import duckdb, numpy
from sklearn.ensemble import HistGradientBoostingClassifier

def square(x):
    return x * x

if __name__ == '__main__':
    x = numpy.random.rand(400, 4)
    tree = HistGradientBoostingClassifier(max_iter=3).fit(x, x[:, 0] > 0.5)
    print((x.T @ x).shape, tree.score(x, x[:, 0] > 0.5) > 0.8)
    print(duckdb.sql('select sum(range) from range(1000)').fetchall())
    print(sum(concurrent.futures.ThreadPoolExecutor(4).map(abs, range(10))))
    for kind in ('fork', 'spawn'):
        with multiprocessing.get_context(kind).Pool(2) as pool:
            print(kind, pool.map(square, range(4)))
    inner = subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True)
    print(inner.stdout.strip())
"""
    await docker_session.write("libraries.py", source)
    result = await docker_session.run("libraries.py")
    assert result.stdout.splitlines() == [
        "(4, 4) True", "[(499500,)]", "45", "fork [0, 1, 4, 9]", "spawn [0, 1, 4, 9]", "42",
    ], result.stderr  # fmt: skip
