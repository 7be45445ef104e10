"""A bucket that speaks as much of S3's protocol as an artifact store needs. It keeps everything in memory."""

import hashlib
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from html import unescape

from aiohttp import web
from aiohttp.test_utils import TestServer


class Bucket:
    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.uploads: dict[str, dict[int, bytes]] = {}
        """Parts of uploads that are neither completed nor aborted."""
        self._begun = 0

    async def answer(self, request: web.Request) -> web.Response:
        key, query = request.match_info["key"], request.query
        match request.method:
            case "POST" if "uploads" in query:
                self._begun += 1
                self.uploads[f"u{self._begun}"] = {}
                return _xml(f"<Upload><UploadId>u{self._begun}</UploadId></Upload>")
            case "POST" if "uploadId" in query:
                parts = self.uploads.pop(query["uploadId"])
                return self._keep(key, b"".join(parts[number] for number in sorted(parts)))
            case "POST" if "delete" in query:
                keys = re.findall("<Key>.*?</Key>", await request.text())
                for found in keys:
                    self.objects.pop(unescape(found[5:-6]), None)
                deleted = "".join(f"<Deleted>{found}</Deleted>" for found in keys)
                return _xml(f"<DeleteResult>{deleted}</DeleteResult>")
            case "PUT" if "uploadId" in query:
                part = await request.read()
                self.uploads[query["uploadId"]][int(query["partNumber"])] = part
                return web.Response(headers={"ETag": _tag(part)})
            case "PUT" if source := request.headers.get("x-amz-copy-source"):
                return self._keep(key, self.objects[source.strip("/").partition("/")[2]])
            case "PUT":
                return self._keep(key, await request.read())
            case "DELETE":
                self.uploads.pop(query.get("uploadId", ""), None)
                self.objects.pop(key, None)
                return web.Response(status=204)
            case "GET" | "HEAD" if key in self.objects:
                body = self.objects[key]
                headers = {"ETag": _tag(body), "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
                return web.Response(body=body, headers=headers)
            case _:
                return web.Response(status=404)

    def _keep(self, key: str, body: bytes) -> web.Response:
        self.objects[key] = body
        facts = f"<ETag>{_tag(body)}</ETag><LastModified>2026-01-01T00:00:00Z</LastModified>"
        return _xml(f"<Result>{facts}</Result>", _tag(body))


@asynccontextmanager
async def open_bucket() -> AsyncGenerator[tuple[Bucket, dict[str, str]]]:
    """A bucket, and the options that `open_artifacts` needs to find it as `s3://bucket/…`."""
    bucket = Bucket()
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/bucket{slash:/?}{key:.*}", bucket.answer)
    async with TestServer(app, skip_url_asserts=True) as server:
        address = f"http://{server.host}:{server.port}"
        yield bucket, {"endpoint": address, "region": "here", "access_key_id": "x", "secret_access_key": "y"}


def _tag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()}"'


def _xml(text: str, tag: str = '""') -> web.Response:
    return web.Response(text=text, content_type="application/xml", headers={"ETag": tag})
