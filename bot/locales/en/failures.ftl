# Why there is no answer: what happened and what to do. What became of the work is added to each.

failed-sandbox = The place where code runs safely failed twice, so I had to stop. Run `deckhand doctor` to see what it lacks, then ask again.
failed-sandbox-image = The sandbox image has not been built on this machine. Run `make image` once, then ask again.
failed-budget = The limit that is set for one run was reached. Ask for a smaller part, or raise the limit.
failed-budget-model-calls = This took more model calls than one run may make. Ask for a smaller part, or raise DECKHAND_MAX_MODEL_CALLS.
failed-budget-tokens = This took more tokens than one run may use. Ask for a smaller part, or raise DECKHAND_MAX_TOKENS.
failed-budget-seconds = This took longer than one run may last. Ask for a smaller part, or raise DECKHAND_MAX_SECONDS.
failed-budget-sandbox-seconds = The scripts took more time than one run may use for them. Ask for a smaller part, or raise DECKHAND_MAX_SANDBOX_SECONDS.
failed-model = The language model did not answer, or not in a way that could be used ({ $detail }). Check it with `deckhand doctor`, then ask again.
failed-model-at = The language model at { $host } did not answer, or not in a way that could be used ({ $detail }). Check it with `deckhand doctor`, then ask again.
failed-storage = There is no room left where I keep things, or that place cannot be reached. Whoever looks after me has to make room or bring it back (`deckhand doctor` tells more); then ask again.
failed-cancelled = Stopped, as you wished.
failed-updated = I was updated while I worked on this, and the new version cannot go on with what was half done. Press “Try again”, or ask again.
failed-internal = Something went wrong on my side. Ask again; if it happens again, the details are in the log under { $detail }.
failed-kept = { $count ->
    [one] The one file that was made is kept.
   *[other] The { $count } files that were made are kept.
}
failed-nothing-kept = No file had been made yet.
