request-missing = Tell me what you would like to know or to have made, please: the files alone do not say.
request-too-long = That is longer than { $limit } characters. Please put the long part into a text file and send it along.
files-too-many = That is more than { $limit } files in one message. Please send fewer, or put them into a .zip.
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
