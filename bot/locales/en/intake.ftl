# From a message to its run: what is said on the way.

request-missing = Tell me what you would like to know or to have made, please: the files alone do not say.
words-missing = Say in words what you would like, please, or send me a file. /help lists what I can do.
request-too-long = That is longer than { $limit } characters. Please put the long part into a text file and send it along.
files-too-many = That is more than { $limit } files at once. Please send fewer, or put them into a .zip.
file-too-big = “{ $name }” is larger than { $limit }, the most I take. A part of it, or a .zip or .parquet of it, would do.
files-left-out = { $count ->
    [one] One earlier file does not come along any more
   *[other] { $count } earlier files do not come along any more
}, since a run takes at most { $files } files and { $size }: { $names }. Send again what you still need.
file-unreadable = I could not read “{ $name }”. Please check the file and send it again.
fault = Something went wrong on my side, and nothing of your message was kept. Please try again; if it happens again, the number for whoever looks after me is { $id }.
queued = { $ahead ->
    [one] Got it. One other run comes first, then yours.
   *[other] Got it. { $ahead } other runs come first, then yours.
}
disk-full = There is no room left on my disk, so I could not keep your message. Whoever looks after me has to make some; then please send it again.
received = Got it.
fetching = Your files are still on their way to me. I keep trying for a few minutes.
file-unfetched = “{ $name }” did not reach me: the chat's server did not hand it over. Nothing of this message is kept. Please send it again in a few minutes.
file-kinds = I cannot work with { $names }. I take tables (csv, tsv, xlsx, xls, ods, json, jsonl, parquet), documents (txt, md, docx, pdf, pptx), pictures and .zip files.
file-kinds-without = I go on without { $names }, since I cannot work with files of that kind.
files-for-what = { $count ->
    [one] I have { $names }. What shall I make of it? Tell me in your own words, or choose:
   *[other] I have { $count } files: { $names }. What shall I make of them? Tell me in your own words, or choose:
}
files-dropped = These files are put aside. Send them again if you need them.
button-eda = Overview
button-deck = Slide deck
button-report = Report
button-look = Just look
preset-eda = Explore this data: quality, distributions, relations, and the most important findings with charts.
preset-deck = Make a slide deck of the most important findings in this data.
preset-report = Write a report about this data, with charts and conclusions.
preset-look = Have a look at these files and tell me briefly what is in them.
button-cancel = Cancel
button-retry = Try again
cancelled-early = Stopped before it began. Nothing is kept of it.
kept-for-later = I have trouble storing things. Your message is kept, and I take it up as soon as I am well again.
queue-full = { $limit ->
    [one] One request is waiting here already.
   *[other] { $limit } requests are waiting here already.
} Please send this one again when one of them is done.
again-nothing = There is no earlier request of yours here. Please say what you want to have.
again-files-missing = Send the new file first, or with /again as its caption: then I do what you asked for last with it.
edit-taken = I have changed your request.
edit-too-late = I am at work on this already, so the change came too late. Please send it as a new message: I do it next.
edit-over = This is done already. Please send the change as a new message.
press-unknown = This button does not work any more.
press-over = That is over already.
press-not-yours = Only the person who asked can do that.
press-cancelling = Cancelling…
press-retrying = Trying again…
press-retried = I have tried this again already.
press-begun = On it.
question = { $text }

    Choose, or answer in your own words. Without an answer I go on in { $minutes ->
        [one] one minute
       *[other] { $minutes } minutes
    }.
question-answered = → { $answer }
question-assumed = No answer came, so I go on with this: { $assumption }
flood = That is a lot at once. I do not read what you send for the next minute; /cancel works.
group-hello = Hello. Mention me, or reply to me, and I get to work. An admin says who may ask me here.
group-goodbye = Only an admin of mine can add me to a group. Goodbye.
