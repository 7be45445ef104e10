# The progress message.

progress-working = Working
progress-finished = Done
progress-failed = Stopped
progress-cancelled = Cancelled
progress-paused = Interrupted, will go on at the next start
progress-resumed = Going on where the last attempt was interrupted.
progress-count = { $total ->
    [one] { $done } of { $total } step
   *[other] { $done } of { $total } steps
}
progress-tokens = { $tokens } tokens

step-planning = reading the request and the files, making a plan
step-thinking = thinking about the next move
step-answering = putting the answer together
step-other = working on { $subject }
step-unnamed = at work
step-of-todo = { $todo }: { $step }
step-profile-inputs = looking at the files
step-create-todo-list = making the plan
step-revise-todo-list = changing the plan
step-start-next-todo = starting { $subject }
step-complete-todo = ticking off { $subject }
step-block-todo = putting { $subject } aside
step-read-skill = reading the guide “{ $subject }”
step-list-input-files = looking at the files
step-list-output-files = looking at the results
step-read-file-content = reading { $subject }
step-write-python-file = writing { $subject }
step-run-python-file = running { $subject }
step-write-and-run-python = writing and running { $subject }
step-write-and-run-script = writing and running { $subject }
step-fix-and-run-python = mending and running { $subject }
step-check-results = checking the results
step-rerun-scripts = running the scripts once more
step-render-pages = making pictures of the pages
step-review-pages = looking at the pages once more
step-ask-person = waiting for your answer
step-wait-for-sandbox = waiting for a sandbox ({ $subject } in front)

# The one line that is left of it.
settled-finished = ✓ Done
settled-failed = ✕ Stopped
settled-cancelled = ■ Cancelled
settled-paused = ‖ Interrupted, will go on at the next start
