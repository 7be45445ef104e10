"""Pictures: kind, size and mode, nothing of who took it where."""

import warnings

from documents_model import Document, counted
from tables_errors import BrokenFile, TooLarge

MAX_PIXELS = 50_000_000
"""A larger picture is measured and not unpacked, so damage inside of it is not noticed."""


def read(path, kind):
    from PIL import Image, UnidentifiedImageError  # only pictures pay for it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                width, height = image.size
                frames = getattr(image, "n_frames", 1)
                if width * height <= MAX_PIXELS:
                    image.load()
    except Image.DecompressionBombError as error:
        limit = Image.MAX_IMAGE_PIXELS * 2 // 10**6
        raise TooLarge(path.name, size=f"over {limit}", unit="megapixels", limit=limit) from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise BrokenFile(
            path.name, kind=kind, reason=str(error)[:200].replace(str(path), path.name)
        ) from error
    counts = counted(width=width, height=height, mode=image.mode, frames=frames if frames > 1 else 0)
    return Document(path.name, kind, counts)
