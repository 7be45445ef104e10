"""What the files are that hold no table, and why, a sentence each; of a single one also what stands in it."""

import json

import material
from papers import advice, outline, sentence
from wording import say

_, papers, failures = material.read_all()
if len(papers) == 1 and not failures:
    headline, facts = sentence(papers[0]), outline(papers[0])
else:
    headline, facts = say("no_table"), [*map(sentence, papers), *failures]
mind = list(dict.fromkeys(map(advice, papers)))
print(json.dumps({"headline": headline, "facts": facts, "mind": mind}, ensure_ascii=False))
