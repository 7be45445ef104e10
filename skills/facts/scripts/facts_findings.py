"""Registers the numbers of standard findings: what was counted, and shares of it, each group under its name."""

import facts_record
from facts_caller import caller
from facts_doubt import of_frame
from facts_origin import files_of, loaded_files
from facts_values import label, number

_SHARES = {"rate", "share"}
_PARTS = ["overview", "outcome", "rates", "distributions", "categories", "totals", "dynamics", "correlations", "small", "derived"]
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
