"""What lies in the workspace: inputs, outputs, and the text of one file."""

from collections.abc import Collection
from pathlib import PurePosixPath

from pydantic import BaseModel, Field

from agent.bench import Bench
from agent.errors import ToolError
from agent.tools.tool import Answer, AnyTool, Tool
from sandbox.errors import NoSuchFile
from sandbox.session import Excerpt, FileEntry

MAX_LISTED = 100
"""Files that one listing names."""
FOLDERS = ("input", "out", "code", "skills")


class Nothing(BaseModel, frozen=True):
    """No arguments."""


class ReadFileContent(BaseModel, frozen=True):
    path: str = Field(description="As listed: input/data.csv or out/summary.csv.")
    first_line: int = Field(default=1, ge=1)
    lines: int = Field(default=80, ge=1, le=400)


def file_tools(bench: Bench, hidden: Collection[str] = (), *, inputs: bool = True) -> tuple[AnyTool, ...]:
    """`hidden` names what lies among the inputs and is none. Without `inputs` no line of a person's files is
    read out."""

    async def list_input_files(_: Nothing) -> Answer:
        files = await bench.use(lambda session: session.list_inputs())
        return _listing("input", tuple(file for file in files if file.path not in hidden))

    async def list_output_files(_: Nothing) -> Answer:
        return _listing("out", await bench.use(lambda session: session.list_outputs()))

    async def read_file_content(arguments: ReadFileContent) -> Answer:
        candidates = _candidates(arguments.path)
        for path in candidates:
            if not inputs and path.startswith("input"):
                continue
            try:
                excerpt = await bench.use(
                    lambda session, path=path: session.excerpt(
                        path, first_line=arguments.first_line, lines=arguments.lines
                    )
                )
            except NoSuchFile:
                continue
            return _shown(excerpt)
        if not inputs and candidates[0].startswith("input"):
            msg = "values of cells are withheld by a setting: work on the file in a script, and print no rows"
            raise ToolError(msg)
        msg = f"there is no file {arguments.path!r}: call list_input_files or list_output_files for the names"
        raise ToolError(msg)

    return (
        Tool(
            name="list_input_files",
            description="The files that the person sent, with sizes.",
            arguments=Nothing,
            call=list_input_files,
        ),
        Tool(
            name="list_output_files",
            description="The files in out/ that this and earlier todos made, with sizes.",
            arguments=Nothing,
            call=list_output_files,
        ),
        Tool(
            name="read_file_content",
            description="Some lines of a text file, at most 16 KiB. Tables are better read by a script.",
            arguments=ReadFileContent,
            call=read_file_content,
            subject="path",
        ),
    )


def _candidates(path: str) -> tuple[str, ...]:
    """A model may give the listed path, the absolute one, or the bare name."""
    plain = PurePosixPath(path.strip().removeprefix("/workspace/").lstrip("/"))
    if plain.parts and plain.parts[0] in FOLDERS:
        return (str(plain),)
    return (f"input/{plain}", f"out/{plain}")


def _listing(folder: str, files: tuple[FileEntry, ...]) -> Answer:
    lines = [f"- {folder}/{file.path} ({file.size:,} bytes)" for file in files[:MAX_LISTED]]
    if len(files) > MAX_LISTED:
        lines.append(f"- … {len(files) - MAX_LISTED} more")
    return Answer(summary=f"{len(files)} files in {folder}/", body="\n".join(lines))


def _shown(excerpt: Excerpt) -> Answer:
    if excerpt.encoding is None:
        return Answer(summary=f"{excerpt.path} is binary, {excerpt.size:,} bytes", body=excerpt.text)
    total = "" if excerpt.total_lines is None else f" of {excerpt.total_lines:,}"
    last = excerpt.first_line + max(len(excerpt.text.splitlines()), 1) - 1
    return Answer(
        summary=f"{excerpt.path}: lines {excerpt.first_line} to {last}{total}, {excerpt.encoding}, "
        f"{excerpt.size:,} bytes{', cut' if excerpt.cut else ''}",
        body=excerpt.text,
    )
