"""What a tool tells a model about a run."""

from sandbox.session import RunResult

NAME = "run_python"
DESCRIPTION = (
    "Run Python source in an isolated sandbox without a network. Input files are in /workspace/input; the"
    " working folder /workspace/out keeps files between calls, but variables are gone. Returns the status,"
    " what was printed, and the files that were made."
)


def report(result: RunResult) -> str:
    """Plain text. What scripts printed stays data: whoever reads it should trust it no more than a file."""
    parts = [f"status: {result.status} (exit code {result.exit_code})"]
    parts += [
        f"{name}:\n{text}" for name, text in (("stdout", result.stdout), ("stderr", result.stderr)) if text
    ]
    parts += [f"made: {file.path} ({file.size} bytes)" for file in result.files]
    parts += [f"removed: {path}" for path in result.removed]
    parts += [f"not kept: {file.path} ({file.reason})" for file in result.skipped]
    return "\n".join(parts)
