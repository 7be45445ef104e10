"""Which files are taken: by their extension, and by what the platform says where that tells nothing. Pure.

The bytes are looked at in the sandbox only.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from bot.chat import Attachment

_TAKEN = re.compile(
    r"csv|tsv|txt|jsonl?|parquet|xlsx?|ods|zip|md|docx|pdf|pptx|png|jpe?g|gif|webp|bmp|tiff?", re.IGNORECASE
)
_PROGRAMS_AND_MEDIA = re.compile(
    r"""
      apk|app|bat|cmd|com|deb|dll|dmg|elf|exe|iso|jar|js|lnk|msi|pkg|ps1|py|rpm|scr|sh|so|vbs
    | 7z|bz2|gz|rar|tar|tgz|xz
    | aac|avi|flac|m4a|mkv|mov|mp3|mp4|oga|ogg|opus|tgs|wav|webm|wmv
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Certainly no data of ours, whatever their media type claims."""
_TAKEN_TYPES = re.compile(
    r"""
      text/(csv|tab-separated-values|plain|(x-)?markdown)
    | image/(png|jpeg|gif|webp|bmp|x-ms-bmp|tiff)
    | application/(json|jsonl|x-ndjson|x-jsonlines|pdf|zip|x-zip-compressed)
    | application/(vnd\.apache\.parquet|x-parquet|vnd\.ms-excel|vnd\.oasis\.opendocument\.spreadsheet)
    | application/vnd\.openxmlformats-officedocument
        \.(spreadsheetml\.sheet|wordprocessingml\.document|presentationml\.presentation)
    | (application|binary)/octet-stream      # tells nothing, as does an empty one
    |
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_taken(attachment: Attachment) -> bool:
    extension = PurePosixPath(attachment.name.strip()).suffix.removeprefix(".")
    if _TAKEN.fullmatch(extension):
        return True
    if _PROGRAMS_AND_MEDIA.fullmatch(extension):
        return False
    return bool(_TAKEN_TYPES.fullmatch(attachment.media_type.partition(";")[0].strip()))


def sorted_out(attachments: Iterable[Attachment]) -> tuple[tuple[Attachment, ...], tuple[Attachment, ...]]:
    """Those that are taken, and the others."""
    taken: list[Attachment] = []
    others: list[Attachment] = []
    for attachment in attachments:
        (taken if is_taken(attachment) else others).append(attachment)
    return tuple(taken), tuple(others)
