# Commands and what they are answered with.

menu-status = what is running here
menu-plan = the whole plan
menu-cancel = stop what is running
menu-files = the files of this conversation
menu-why = where a number is from
menu-again = the last request once more, for a new file
menu-resend = send the files again
menu-bundle = scripts and all, to compute it anywhere
menu-brand = your template for decks
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

brand-none = Decks here have my own look. Send a .pptx with /brand as its caption, or reply to one with /brand, and they take over its layouts, fonts and colours.
brand-set = { $layouts ->
    [one] From now on decks here are made with “{ $name }” ({ $size }, one layout)
   *[other] From now on decks here are made with “{ $name }” ({ $size }, { $layouts } layouts)
}. /brand off takes it away.
brand-is = { $layouts ->
    [one] Decks here are made with “{ $name }” ({ $size }, one layout)
   *[other] Decks here are made with “{ $name }” ({ $size }, { $layouts } layouts)
}. Another .pptx with /brand replaces it, /brand off takes it away.
brand-off = Decks here have my own look again.
brand-which = One .pptx is what I need: send it with /brand as its caption, or reply to it with /brand.
brand-unchecked = I could not look at the template just now, so nothing has changed. Please try again in a few minutes.
brand-unreadable = “{ $name }” does not open as a presentation. Save it once more as .pptx, please, and send that.
brand-active = “{ $name }” has macros, controls or embedded objects, and I do not take those over into decks. Please save it without them.
brand-outside = “{ $name }” loads something from elsewhere when it is opened, such as a linked picture, and decks would do so too. Please put it into the file itself.
brand-large = “{ $name }” is too large once it is unpacked. A template with a few slides would do.
brand-layouts = “{ $name }” has no layouts, so there is nothing to make slides from.

why-no-answer = There is no answer here yet whose numbers I could explain.
why-none = I know no such number, nor anything of that name, among those that were computed for this answer.
why-nearest = I know no such number among those that were computed for this answer. The nearest one is { $text } ({ $name }).
why-untraced = { $number } ({ $place }) could not be traced: no computation of mine is behind it.
why-asserted = stated with a source, not computed: { $source }
why-table = { $count ->
    [one] one number of a table or chart
   *[other] { $count } numbers of a table or chart
} ({ $target })
why-rows = rows used: { $rows }
why-file = file { $name } (SHA-256 { $digest }…)
why-line = script { $script }, line { $line }
why-script = script { $script }
bundle-coming = The bundle is on its way: scripts, policy, image, the inputs' hashes, facts and run.sh. Your files are not in it.
bundle-none = Nothing was computed for that answer, so there is nothing to pack.

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

whom-missing = Whom? If they write to me, I ask you about them. Or give a numeric id, as in { $command }, or reply with the command to something that they wrote. An @name does not count: anybody can take one.
allowed-group = Everybody in this group may use me here now.
allowed-group-there = Everybody in that group may use me there now.
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
limits-usual = Everybody, runs and tokens a day
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
