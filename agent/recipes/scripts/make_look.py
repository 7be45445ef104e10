"""Why none of the files can be analysed, a sentence each."""

import json

import material
from wording import say

_, failures = material.read_all()
print(json.dumps({"headline": say("no_table"), "facts": failures}, ensure_ascii=False))
