"""Make a recording of a run whose model was played by hand: record.py FOLDER NAME REQUEST LANGUAGE [FILE…]

FOLDER holds pairs `req-N.json` (the body of a chat-completions request) and `resp-N.json` (the answer:
`content` and `tool_calls` with name and arguments, or `status` for an answer that failed). The names of the
files that the person got are then to be written into request.json by hand.
"""

import json
import sys
from pathlib import Path

from tests.replay.exchange import Exchange

RECORDINGS = Path(__file__).parent / "recordings"


def exchanges(folder: Path) -> list[Exchange]:
    found: list[Exchange] = []
    for path in sorted(folder.glob("req-*.json"), key=lambda p: int(p.stem.split("-")[1])):
        answer_path = folder / path.name.replace("req-", "resp-")
        if not answer_path.exists():
            continue
        answer = json.loads(answer_path.read_text(encoding="utf-8"))
        if "status" in answer:
            continue
        calls = [
            {
                "type": "function",
                "function": {
                    "name": call["name"],
                    "arguments": call["arguments"]
                    if isinstance(call["arguments"], str)
                    else json.dumps(call["arguments"], ensure_ascii=False),
                },
            }
            for call in answer.get("tool_calls") or ()
        ]
        message = {"content": answer.get("content")} | ({"tool_calls": calls} if calls else {})
        found.append(Exchange.of(json.loads(path.read_text(encoding="utf-8")), message))
    return found


def main() -> None:
    folder, name, request, language, *files = sys.argv[1:]
    target = RECORDINGS / name
    target.mkdir(parents=True, exist_ok=True)
    (target / "request.json").write_text(
        json.dumps(
            {"request": request, "language": language, "files": files, "deliverables": []},
            ensure_ascii=False,
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )
    lines = [exchange.dump() for exchange in exchanges(Path(folder))]
    (target / "exchanges.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(f"{target}: {len(lines)} exchanges\n")


if __name__ == "__main__":
    main()
