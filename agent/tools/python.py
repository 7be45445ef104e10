"""Writing and running scripts in the todo's sandbox, mostly Python. There is no shell tool, on purpose."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, Field

from agent.bench import Bench
from agent.context import cut_middle
from agent.errors import ToolError
from agent.tools.tool import Answer, AnyTool, Tool
from sandbox.errors import NoSuchScript, UnsafeName
from sandbox.names import is_script_name
from sandbox.session import ExitStatus, Finding, RunResult

MAX_LINES = 120
"""Lines of one script: a longer one tends to break off, and every mending costs its whole length again."""
MAX_STREAM = 5_000
"""Characters of stdout, and of stderr, that a model sees."""
MAX_FILES = 40
"""Made or changed files that one answer names."""

HINTS = {
    ExitStatus.TIMEOUT: "The script ran into its time limit: work on less data, or split it.",
    ExitStatus.OUT_OF_MEMORY: "The script needed more memory than there is: read fewer columns, or chunks.",
    ExitStatus.OUTPUT_LIMIT: "The script printed without end: print a short summary.",
    ExitStatus.DISK_LIMIT: "out/ is full: write fewer or smaller files.",
}

_FORGES = re.compile(r"\.deckhand\b|^\s*(?:from|import)\s+facts_", re.MULTILINE)
"""What states facts by hand, past the library that computes them."""


class WritePython(BaseModel, frozen=True):
    name: str = Field(description="File name such as 01_profile.py.")
    content: str = Field(description=f"The whole script, at most {MAX_LINES} lines.")


class WriteScript(BaseModel, frozen=True):
    name: str = Field(description="File name with the suffix of its language.")
    content: str = Field(description=f"The whole script, at most {MAX_LINES} lines.")


class FixPython(BaseModel, frozen=True):
    name: str = Field(description="Name of a script that was written before.")
    old: str = Field(description="A piece of it that occurs exactly once, with enough around it.")
    new: str = Field(description="What stands there instead.")
    run: str = Field(
        default="", description="The script to run then, when it is another one: after a module."
    )


class RunPython(BaseModel, frozen=True):
    name: str = Field(description="Name of a script that was written before.")


@dataclass(frozen=True, slots=True)
class ScriptDesk:
    """The scripts of one todo."""

    bench: Bench
    code: Path
    """Host folder where the sandbox keeps a copy of each accepted script."""
    languages: tuple[str, ...] = ()
    """Suffixes beside .py. Without any, models are told of none."""
    reserved: Collection[str] = ()
    """File names that no script may have: of the libraries, which it would hide, and of our own scripts."""

    def tools(self) -> tuple[AnyTool, ...]:
        return (
            Tool(
                name="write_and_run_python",
                description="Write a script and run it: the usual way, one call instead of two. Syntax and "
                "names are checked first; a script that is bound to fail is not run. Read from "
                "/workspace/input, write to the current folder, which is /workspace/out.",
                arguments=WritePython,
                call=self._write_and_run,
                subject="name",
            ),
            Tool(
                name="fix_and_run_python",
                description="Mend a script and run it again: the cheap way after an error.",
                arguments=FixPython,
                call=self._fix_and_run,
                subject="name",
            ),
            Tool(
                name="write_python_file",
                description="Write a script or a module without running it, in place of one of that name.",
                arguments=WritePython,
                call=self._write,
                subject="name",
            ),
            Tool(
                name="run_python_file",
                description="Run a script that was written before.",
                arguments=RunPython,
                call=self._run,
                subject="name",
            ),
            *([self._other_languages()] if self.languages else []),
        )

    def _other_languages(self) -> AnyTool:
        return Tool(
            name="write_and_run_script",
            description="The same as write_and_run_python for a script of another language: its name ends in "
            f"{' or '.join(self.languages)}. Nothing is checked before it runs.",
            arguments=WriteScript,
            call=self._write_and_run_other,
            subject="name",
        )

    async def _write_and_run_other(self, arguments: WriteScript) -> Answer:
        return await self._write_and_run(WritePython(name=arguments.name, content=arguments.content))

    async def _write(self, arguments: WritePython) -> Answer:
        return _checked(arguments.name, await self._stage(arguments))

    async def _run(self, arguments: RunPython) -> Answer:
        name = _file_name(arguments.name)
        try:
            result = await self.bench.use(lambda session: session.run(name))
        except (NoSuchScript, UnsafeName) as error:
            msg = f"{error}: call write_python_file first"
            raise ToolError(msg) from None
        return ran(name, result)

    async def _write_and_run(self, arguments: WritePython) -> Answer:
        findings = await self._stage(arguments)
        if any(finding.fatal for finding in findings):
            return _checked(arguments.name, findings)
        answer = await self._run(RunPython(name=arguments.name))
        remarks = _remarks(findings)
        return replace(answer, body=f"{remarks}\n\n{answer.body}".strip())

    async def _fix_and_run(self, arguments: FixPython) -> Answer:
        name = _file_name(arguments.name)
        mended = WritePython(name=name, content=_replaced(self._source(name), arguments.old, arguments.new))
        if not arguments.run.strip():
            return await self._write_and_run(mended)
        written = await self._write(mended)
        return await self._run(RunPython(name=arguments.run)) if written.ok else written

    async def _stage(self, arguments: WritePython) -> tuple[Finding, ...]:
        lines = arguments.content.count("\n") + 1
        if lines > MAX_LINES:
            msg = (
                f"{arguments.name} has {lines} lines; {MAX_LINES} is the most. Split it: one script a step, "
                "results handed on as files in out/; let the skills' libraries do the layout"
            )
            raise ToolError(msg)
        name = _file_name(arguments.name)
        if name in self.reserved:
            msg = (
                f"{name} is the name of a library here: give the script a name of its own, such as 01_{name}"
            )
            raise ToolError(msg)
        if _FORGES.search(arguments.content):
            msg = "facts are stated by facts.fact and facts.table alone: leave .deckhand and facts_… to them"
            raise ToolError(msg)
        try:
            return await self.bench.use(lambda session: session.write(name, arguments.content))
        except UnsafeName as error:
            raise ToolError(str(error)) from None

    def _source(self, name: str) -> str:
        """A script as it was last accepted."""
        suffixes = (".py", *self.languages)
        if not is_script_name(name, suffixes):
            raise ToolError(str(UnsafeName(name, suffixes)))
        try:
            return (self.code / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            msg = f"{NoSuchScript(name)}: call write_and_run_python first"
            raise ToolError(msg) from None


def ran(name: str, result: RunResult) -> Answer:
    """What a model is told of a run."""
    files = [f"- out/{file.path} ({file.size:,} bytes)" for file in result.files[:MAX_FILES]]
    if len(result.files) > MAX_FILES:
        files.append(f"- … {len(result.files) - MAX_FILES} more")
    files += [f"- out/{path} removed" for path in result.removed[:MAX_FILES]]
    files += [f"- out/{file.path} was not kept: {file.reason}" for file in result.skipped[:MAX_FILES]]
    body = [
        f"exit_code: {result.exit_code}",
        f"timed_out: {str(result.timed_out).lower()}",
        f"succeeded: {str(result.succeeded).lower()}",
        f"seconds: {result.seconds:.1f}",
        f"peak_memory: {result.peak_memory // 2**20} MiB",
        *(["files:", *files] if files else []),
    ]
    for label, text in (("STDOUT", result.stdout), ("STDERR", result.stderr)):
        if text.strip():
            body += [f"{label}:", cut_middle(text.rstrip(), MAX_STREAM)]
    if hint := HINTS.get(result.status):
        body.append(hint)
    outcome = "ran" if result.succeeded else f"failed ({result.status.value.replace('_', ' ')})"
    return Answer(
        ok=result.succeeded,
        summary=f"{name} {outcome}, files made or changed: {len(result.files)}",
        body="\n".join(body),
        runs=((name, result),),
    )


def _replaced(source: str, old: str, new: str) -> str:
    found = source.count(old) if old else 0
    if found != 1:
        msg = f"`old` occurs {found} times in the script: give a piece that occurs exactly once"
        raise ToolError(msg)
    return source.replace(old, new)


def _file_name(name: str) -> str:
    """Models like to give the full path: the folder is ours to choose."""
    return re.sub(r"^(?:/workspace/)?code/", "", name.strip())


def _checked(name: str, findings: tuple[Finding, ...]) -> Answer:
    if any(finding.fatal for finding in findings):
        return Answer(
            ok=False, summary=f"{name} was not accepted: mend it and send it again", body=_remarks(findings)
        )
    return Answer(summary=f"{name} is written", body=_remarks(findings))


def _remarks(findings: tuple[Finding, ...]) -> str:
    return "\n".join(
        f"- line {finding.line}: {finding.message}{f' — {finding.advice}' if finding.advice else ''}"
        for finding in findings
    )
