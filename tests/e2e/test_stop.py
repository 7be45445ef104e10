"""`deckhand run` and a SIGTERM: it ends in order, and the next start goes on. An upgrade is nothing else."""

import asyncio
import signal
from pathlib import Path

import pytest

from tests.e2e.product import Product
from tests.e2e.test_crash import Model, check_the_next_start
from tests.endpoint import serve


@pytest.mark.docker
@pytest.mark.usefixtures("docker_policy")
async def test_a_bot_that_is_stopped_in_a_run_ends_with_0_and_the_next_one_goes_on(tmp_path: Path) -> None:
    model = Model(hang_at=("one", 0))
    async with serve(model.respond) as endpoint:
        product = Product(tmp_path, endpoint.url)
        first = await product.start("ask", "What is the figure?")
        await asyncio.wait_for(model.reached.wait(), 60)
        first.send_signal(signal.SIGKILL)
        await first.communicate()

        model.hang_at, model.reached = ("two", 0), asyncio.Event()
        bot = await product.start("run")
        await asyncio.wait_for(model.reached.wait(), 60)
        code, said = await product.finish("run")
        assert (code, "A bot already serves" in said) == (2, True)
        bot.send_signal(signal.SIGTERM)
        await asyncio.wait_for(bot.communicate(), 60)
        assert bot.returncode == 0

        model.hang_at = None
        await check_the_next_start(product)


@pytest.mark.docker
@pytest.mark.usefixtures("docker_policy")
async def test_a_run_in_flight_goes_on_where_its_backup_is_restored(tmp_path: Path) -> None:
    """The backup is taken while the bot works, which then goes on until it is killed."""
    model = Model(hang_at=("two", 0))
    async with serve(model.respond) as endpoint:
        product = Product(tmp_path / "old", endpoint.url)
        product.folder.mkdir()
        process = await product.start("ask", "What is the figure?")
        await asyncio.wait_for(model.reached.wait(), 60)
        file = str(tmp_path / "kept.tar.gz")
        code, said = await product.finish("backup", file)
        assert code == 0, said

        other = Product(tmp_path / "new", endpoint.url)
        other.folder.mkdir()
        code, said = await other.finish("restore", file)
        assert code == 0, said
        model.hang_at = None
        await check_the_next_start(other)  # although the process that had the run still lives

        process.send_signal(signal.SIGKILL)
        await process.communicate()
        await product.finish("resume")  # its container goes with it
