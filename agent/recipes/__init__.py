"""The offline recipes: with no model configured, a standard look at any table, its charts and its deck.

No language model and no imitation of one: `model.py` issues the tool calls that one would, and the work is
done by the skills' libraries in the sandbox, driven by the thin scripts of `scripts/`.
"""
