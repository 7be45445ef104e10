"""LibreOffice: one file a call, with a profile of its own, a deadline, and a look at what it wrote."""

import os
import signal
import subprocess
import tempfile
import time
import zipfile
from contextlib import suppress
from pathlib import Path

SOFFICE = "/usr/lib/libreoffice/program/soffice.bin"
PDF = "pdf"
BOOK = "xlsx:Calc MS Excel 2007 XML"
SECONDS = 60.0
"""For one call. A deck of a hundred slides takes ten, a workbook of 45,000 rows twenty."""
RESTART = 81
"""How it ends when it has made a profile: as soon as it is called again, it works."""
_STARTS = 3
"""Of one profile: it may ask for more than one restart, and must not for ever."""
_IMPORTS = {
    ".pptx": "Impress MS PowerPoint 2007 XML",
    ".xlsx": "Calc MS Excel 2007 XML",
    ".docx": "MS Word 2007 XML",
}
"""What a file is comes from its name: by its content it might be anything that LibreOffice can open."""
_SETTINGS = (
    (
        "Office.Common/Security/Scripting",
        "MacroSecurityLevel",
        "3",
    ),  # none but signed ones of trusted places…
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),  # …and not even those
    ("Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Calc/Content/Update", "Link", "2"),  # never
    ("Office.Writer/Content/Update", "Link", "0"),  # never
    ("Office.Calc/Formula/Load", "OOXMLRecalcMode", "0"),  # always: a file's own results prove nothing
    ("Office.Common/Misc", "FirstRun", "false"),
)
_PROFILE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">\n{items}\n'
    "</oor:items>\n"
)
_ITEM = (
    '<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse">'
    "<value>{value}</value></prop></item>"
)


class Unrendered(Exception):
    """A file that there is no picture of; the message is the reason's code."""


def convert(source, kind, folder, until, locale):
    """The path of what LibreOffice makes of `source` in `folder`, at `until` of the clock at the latest.

    `locale`, as in `ru-RU`, is that of numbers and dates whose format leaves it to the reader.
    What fails is tried once more with a fresh profile; what took too long, or too much memory, is not.
    """
    made = Path(folder) / f"{source.stem}.{kind.partition(':')[0]}"
    for _ in range(2):
        code = _with_a_profile(source, kind, folder, until, locale)
        if code == 0 and made.is_file() and made.stat().st_size:
            return made
        if code == -signal.SIGKILL:  # by the kernel: nobody else kills it
            raise Unrendered("memory")
    raise Unrendered("broken")


def check(source):
    """Raises Unrendered for what is no such file, or would not fit."""
    try:
        with zipfile.ZipFile(source) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        raise Unrendered("broken") from None
    if size > 512 << 20:
        raise Unrendered("too_large")


def run(command, seconds, *, cwd, environment=None):
    """Its exit code and at most 64 KiB of what it printed. Whatever it started ends with it.

    Raises Unrendered when the time is over.
    """
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(  # noqa: S603  # two programs of the image, told what to do with one file
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait(max(seconds, 0.1))
        except subprocess.TimeoutExpired:
            raise Unrendered("timeout") from None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        printed.seek(0)
        return code, printed.read(64 << 10).decode("utf-8", "replace")


def _with_a_profile(source, kind, folder, until, locale):
    until = min(until, time.monotonic() + SECONDS)
    with tempfile.TemporaryDirectory(prefix="office-") as profile:
        _write_settings(Path(profile), locale)
        command = [
            SOFFICE,
            f"-env:UserInstallation=file://{profile}",
            "--headless",
            "--norestore",
            "--nolockcheck",
        ]
        command += ["--nologo", "--nodefault", f"--infilter={_IMPORTS[source.suffix]}", "--convert-to", kind]
        command += ["--outdir", str(folder), str(source)]
        environment = {"HOME": profile, "TMPDIR": profile, "LANG": "C.UTF-8", "SAL_USE_VCLPLUGIN": "svp"}
        for _ in range(_STARTS):
            code, _ = run(command, until - time.monotonic(), cwd=folder, environment=environment)
            if code != RESTART:
                break
        return code


def _write_settings(profile, locale):
    settings = (*_SETTINGS, ("Setup/L10N", "ooSetupSystemLocale", locale))
    items = "\n".join(_ITEM.format(path=path, name=name, value=value) for path, name, value in settings)
    (profile / "user").mkdir()
    (profile / "user/registrymodifications.xcu").write_text(_PROFILE.format(items=items), encoding="utf-8")
