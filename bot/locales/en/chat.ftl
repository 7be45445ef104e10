# What the gateway says in any chat.

status-idle = Nothing is running here.
status-queued = Waiting: “{ $request }” ({ $ahead ->
    [one] one run comes first
   *[other] { $ahead } runs come first
}).
status-working = Working on “{ $request }” for { $elapsed }: { $done } of { $total } steps done, { $tokens } tokens used.
cancelling = Stopping. What has been made so far is kept.
begun-anew = A fresh start: earlier files and requests are put aside.
command-unknown = I do not know that command.
help =
    Send files and say what you want: an overview, charts, a deck, a checked script. A request without files is fine, too.
    /status – what is running
    /plan – the whole plan
    /files – the files of this conversation
    /cancel – stop what is running
    /new – put earlier files aside
    /help – this list
files-sent = Your files:
files-made = Made for you:
files-none = There are no files here yet.
answer-empty = Done. There is nothing to add to the files.
file-refused = “{ $name }” could not be handed over: { $reason }. It is kept.
file-lost = “{ $name }” was made, but cannot be read from the store any more. Ask for it again, and it will be made anew.

plan-none = There is no plan yet.
plan-skills = skills
plan-inputs = input
plan-success = done when
plan-outputs = makes
plan-notes = notes
