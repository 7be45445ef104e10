"""Colours: their contrast as WCAG 2.2 defines it, and the shade of one that can be read on a ground."""

from __future__ import annotations

import colorsys

from pptx.dml.color import RGBColor

READABLE = 4.5
"""Contrast of text and its ground, WCAG 2.2 criterion 1.4.3."""
_STEPS = 50
_ALIKE = 60
"""Two colours nearer than this, summed over red, green and blue, are hard to tell apart in a chart."""


def luminance(color: RGBColor) -> float:
    """Relative luminance, 0 to 1."""
    parts = [part / 255 for part in color]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: RGBColor, other: RGBColor) -> float:
    """1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(one: RGBColor, other: RGBColor, share: float) -> RGBColor:
    """`share` of the other colour in the first one."""
    return RGBColor(*(round(a + (b - a) * share) for a, b in zip(one, other, strict=True)))


def readable(color: RGBColor, *grounds: RGBColor, ratio: float = READABLE) -> RGBColor:
    """The nearest shade of the colour that reaches the ratio on all grounds; black or white at the end."""
    end = RGBColor(0, 0, 0) if min(map(luminance, grounds)) > 0.18 else RGBColor(255, 255, 255)
    for step in range(_STEPS + 1):
        shade = _shade(color, end, step / _STEPS)
        if all(contrast(shade, ground) >= ratio for ground in grounds):
            return shade
    return end


def apart(colors: list[RGBColor], spare: tuple[RGBColor, ...]) -> tuple[RGBColor, ...]:
    """The colours without those that look like an earlier one, filled up with spare ones."""
    kept: list[RGBColor] = []
    for color in [*colors, *spare]:
        if all(_distance(color, other) >= _ALIKE for other in kept):
            kept.append(color)
    return tuple([*kept, *spare][: len(spare)])


def _shade(color: RGBColor, end: RGBColor, share: float) -> RGBColor:
    """Darker or lighter, its hue kept."""
    hue, light, full = colorsys.rgb_to_hls(*(part / 255 for part in color))
    target = end[0] / 255
    parts = colorsys.hls_to_rgb(hue, light + (target - light) * share, full)
    return RGBColor(*(round(part * 255) for part in parts))


def _distance(one: RGBColor, other: RGBColor) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))
