"""A crash of the interpreter itself: no core file, and the session lives on."""

import ctypes

ctypes.string_at(0)
