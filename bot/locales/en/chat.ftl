# What the gateway says in any chat.

answer-empty = Done. There is nothing to add to the files.
file-refused = “{ $name }” could not be handed over: { $reason }. It is kept.
file-lost = “{ $name }” was made, but cannot be read from the store any more. Ask for it again, and it will be made anew.

plan-skills = skills
plan-inputs = input
plan-success = done when
plan-outputs = makes
plan-notes = notes
