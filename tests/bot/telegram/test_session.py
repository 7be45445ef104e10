"""Reaching Telegram from behind a proxy or an inspecting firewall."""

import ssl
import subprocess
from pathlib import Path

import pytest
from aiohttp import web

from bot.chat import ChatRef, Message
from bot.errors import ChatUnreachable
from bot.telegram.adapter import open_telegram
from tests.bot.telegram.conftest import ref
from tests.fakes.botapi import BotApi, LiveChat

HERE = ChatRef("telegram", "7")
TOKEN = "42:" + "A" * 35


async def test_messages_go_through_the_proxy(server: BotApi, chat: LiveChat) -> None:
    """The server stands in for a proxy: it gets the whole address, and goes by its path."""
    async with open_telegram(server.token, api_url="http://telegram.invalid", proxy=server.url) as telegram:
        await telegram.post(ref(chat), Message(text="Hello"))
    assert chat.answers[0].text == "Hello"


async def test_a_proxy_that_cannot_be_reached_has_let_nothing_through() -> None:
    async with open_telegram(
        TOKEN, api_url="https://telegram.invalid", proxy="http://127.0.0.1:1"
    ) as telegram:
        with pytest.raises(ChatUnreachable):
            await telegram.post(HERE, Message(text="Hello"))


async def test_a_proxy_that_refuses_has_let_nothing_through(server: BotApi) -> None:
    async with open_telegram(TOKEN, api_url="https://telegram.invalid", proxy=server.url) as telegram:
        with pytest.raises(ChatUnreachable):
            await telegram.post(HERE, Message(text="Hello"))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("certificate")
    cert, key = folder / "cert.pem", folder / "key.pem"
    order = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    order += ["-keyout", str(key), "-out", str(cert), "-days", "2", "-subj", "/CN=localhost"]
    order += ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(order, check=True, capture_output=True, timeout=60)
    return cert, key


async def test_only_a_certificate_that_we_were_told_to_trust_is_trusted(
    certificate: tuple[Path, Path],
) -> None:
    cert, key = certificate

    async def refuse(request: web.Request) -> web.Response:
        del request
        return web.json_response({"ok": True, "result": True})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", refuse)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    address = f"https://localhost:{runner.addresses[0][1]}"
    group = ChatRef("telegram", "-5")
    try:
        async with open_telegram(TOKEN, api_url=address, ca_file=cert) as telegram:
            await telegram.leave(group)
        async with open_telegram(TOKEN, api_url=address) as telegram:
            with pytest.raises(ChatUnreachable):
                await telegram.leave(group)
    finally:
        await runner.cleanup()
