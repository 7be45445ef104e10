"""Registers the numbers of standard findings, of figures that are saved, and of texts that are read."""

import re

import facts_record
from facts_caller import caller
from facts_doubt import of_data, of_frame
from facts_origin import files_of, load_file, loaded_files
from facts_values import flat, label, number, whole_number

_SHARES = {"rate", "share"}
_PARTS = (
    "overview", "outcome", "rates", "distributions", "categories", "totals", "dynamics", "correlations",
    "small",
)  # fmt: skip
_WRITTEN = re.compile(r"\d(?:[\d,\u00a0\u202f]*\d)?(?:[.,]\d+)?[ \u00a0]?%?")
_NAMED = ("by", "column", "measure", "grain", "first", "second", "label")


def register(found, frame):
    """`found` is a Findings of that frame; it is returned."""
    for part in _PARTS:
        value = getattr(found, part, None)
        for item in value if isinstance(value, tuple) else [] if value is None else [value]:
            _register(f"{part}: {_name(item)}".rstrip(": "), item, frame, "findings.standard")
    return found


def register_rates(rates, frame):
    """Rates by any column, as `findings.rates_by` gives them; they are returned."""
    _register(f"rates by {label(rates.by)}", rates, frame, "findings.rates_by")
    return rates


def register_figures(name, data):
    """Figures that a script saves for those after it, under their file's name."""
    numbers, labels = flat(data)
    if numbers:
        facts_record.write(
            "computed",
            name,
            numbers=numbers,
            labels=labels,
            expression="findings.save_json",
            files=files_of(data) or loaded_files(),
            doubt=of_data(data, facts_record.known(), caller().path),
        )


def register_text(document, path):
    """Numbers in a text of the person are theirs and may be told again; the document is returned."""
    if document is not None:
        written = "\n".join(f"{part.name}\n{part.text}" for part in document.parts)
        found = map(whole_number, _WRITTEN.findall(written))
        numbers = [value for value in found if value is not None]
        files = [load_file(path)]
        if numbers:
            how = "written in the file"
            facts_record.write(
                "computed", f"text of {document.file}", numbers=numbers, expression=how, files=files
            )
    return document


def _register(id, item, frame, how):
    files = files_of(frame) or loaded_files()
    doubt = "" if files_of(frame) else of_frame(frame, (), None, caller().path)
    counts, shares, labels = [], [], {}
    _gather(item, "", counts, shares, labels)
    for name, numbers, unit in ((id, counts, ""), (f"{id}, shares", shares, "%")):
        if numbers:
            facts_record.write(
                "computed",
                name,
                unit=unit,
                numbers=numbers,
                labels=list(labels),
                expression=how,
                rows=len(frame),
                files=files,
                doubt=doubt,
            )


def _gather(value, key, counts, shares, labels):
    """Numbers of a dataclass and what is in it; a text is a name."""
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None:
        for name in fields:
            _gather(getattr(value, name), name, counts, shares, labels)
    elif isinstance(value, (tuple, list)):
        for item in value:
            _gather(item, key, counts, shares, labels)
    elif isinstance(value, str):
        labels.setdefault(label(value))
    elif (plain := number(value)) is not None:
        (shares if key in _SHARES else counts).append(plain)


def _name(item):
    told = [str(getattr(item, name)) for name in _NAMED if isinstance(getattr(item, name, None), str)]
    return label(", ".join(told))
