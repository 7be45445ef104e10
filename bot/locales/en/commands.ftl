# Commands and what they are answered with.

menu-status = what is running here
menu-plan = the whole plan
menu-cancel = stop what is running
menu-files = the files of this conversation
menu-again = the last request once more, for a new file
menu-resend = send the files again
menu-new = put earlier files aside
menu-usage = runs and tokens used
menu-language = the language of answers
menu-settings = how answers look
menu-delete = delete your data
menu-help = this list
menu-start = who I am
menu-allow = let a person or a group in
menu-deny = turn a person or a group away
menu-users = who may use me
menu-limits = how much they may use
menu-doctor = what is missing on my machine

welcome =
    Hello! Send me a data file (a table, a document, pictures, a .zip of them) and say what you want: an overview, charts, a deck, a cleaned table. I plan, compute and check, and send you the answer with the files.

    Your files are computed on in a sealed sandbox; the model that I ask sees excerpts of them. /delete removes all that I keep of you. /help lists what else I can do.
help-intro = Send files and say what you want: an overview, charts, a deck, a checked script. A request without files is fine, too.
help-admins = For admins, in this chat:
command-unknown = I do not know that command.
command-admins-only = That is for my admins.
command-in-private = Please say that to me in our private chat.
command-said-anew = Please type that yourself in a new message: I do not take it from a message that was passed on or edited.
button-old = That button is too old, or not meant for this.

status-machine = On the whole machine: { $working } at work, { $waiting } waiting.
cancel-which = { $count ->
    [0] Nothing is running here.
    [one] There is one run here: /cancel 1.
   *[other] There are { $count } runs here; /status shows their numbers.
}
cancel-not-yours = That run was asked for by somebody else; they or an admin can stop it.
resend-none = There are no files here to send again.
resend-too-early = That run has not ended yet; its files come with the answer.
resending = The files are on their way again.
files-more = … and { $count } more

usage-day = Within 24 hours
usage-month = Within 30 days
usage-people = By person, within 30 days:
usage-sums = { $runs ->
    [one] one run
   *[other] { $runs } runs
}, { $tokens } tokens
usage-price = price { $price }

language-choose = In which language shall I answer here?
language-by-itself = As you write
language-auto = I will answer in the language you write in.
language-chosen = I will answer in English here.
settings-choose = How shall answers look here?
setting-rich = Rich formatting (newer apps only)
setting-previews = Pictures before the files
setting-on = on
setting-off = off

whom-missing = Whom? Give a numeric id, as in { $command }, or reply with the command to something that they wrote. Names do not count: anybody can take one.
allowed-group = Everybody in that group may use me there now.
allowed-person = { $id } may use me now.
allowed-admin = { $id } is my admin now.
allowed-already = That is an admin already.
denied-group = That group may not use me any more. Nothing runs there now.
denied-person = { $id } may not use me, and will get no answer. Nothing runs for them now.
denied-yourself = You cannot turn yourself away.
admit-yes = Let in
admit-no = Turn away
users-admins = Admins:
users-members = May use me:
users-denied = Turned away:
users-groups = Groups:
users-none = Nobody yet.
limits-usual = Everybody, a day
limits-how = To change: /limits 12345 runs=10 tokens=1000000 at_once=2; “usual” instead of a number takes a limit back.
limits-unknown = I know nobody of that id; /allow comes first.
limits-as-usual = usual

delete-how = /delete me removes all that I keep of you, /delete here all of this chat (in private).
delete-how-admin = /delete me removes all that I keep of you, /delete here all of this chat, /delete 12345 all of that person or group; with “rights” behind it also whether they may use me.
delete-mine = Delete your requests, files and results, here and in groups? What is running is stopped. This cannot be undone.
delete-person = Delete the requests, files and results of { $id }, wherever they are? What is running is stopped. This cannot be undone.
delete-rights = Delete the requests, files and results of { $id }, and that I know them? What is running is stopped. This cannot be undone.
delete-chat = Delete all requests, files and results of chat { $id }? What is running is stopped. This cannot be undone.
delete-yes = Delete
delete-not-yours = That is for who asked to press.
deleted = { $runs ->
    [0] Deleted.
    [one] Deleted, with one run.
   *[other] Deleted, with { $runs } runs.
} For a day I still know how many runs and tokens there were, for the limits. Messages in this chat are yours to delete.
deleted-partly = { $runs ->
    [one] One run is deleted
   *[other] { $runs } runs are deleted
}, { $left ->
    [one] one is still stopping
   *[other] { $left } are still stopping
}. Please say /delete again in a minute.
disk-nearly-full = Only { $free } of { $total } are left on the disk of my data. DECKHAND_KEEP_DAYS has old runs deleted; /delete removes somebody's at once.

status-idle = Nothing is running here.
status-queued = Waiting: “{ $request }” ({ $ahead ->
    [one] one run comes first
   *[other] { $ahead } runs come first
}).
status-working = Working on “{ $request }” for { $elapsed }: { $done } of { $total } steps done, { $tokens } tokens used.
cancelling = Stopping. What has been made so far is kept.
begun-anew = A fresh start: earlier files and requests are put aside.
files-sent = Your files:
files-made = Made for you:
files-none = There are no files here yet.
plan-none = There is no plan yet.
