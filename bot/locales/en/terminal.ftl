# The command line and the terminal chat.

settings-unreadable = { $file } cannot be read ({ $reason }).
settings-unknown = { $name } is not a setting. All of them are in .env.example.
settings-misspelt = { $name } is not a setting. Did you mean { $nearest }? All of them are in .env.example.
settings-invalid = { $name } has a value that cannot be used: { $reason }. See .env.example.
settings-model-address = { $name } points to { $host }, where a cloud keeps the credentials of its machines. No model is there, and I do not ask that address.
settings-proxy = { $name } names a proxy that I cannot use: its address has to begin with http:// or https://; SOCKS does not work.
settings-certificates-bad = { $name }: there is no certificate in { $file }. It has to be a PEM file, with -----BEGIN CERTIFICATE----- in it.
settings-certificates-unreadable = { $name }: { $file } cannot be read ({ $reason }).
data-not-ours = { $folder } belongs to everybody. Set DECKHAND_DATA to a folder of its own, for example { $folder }/deckhand.
storage-unavailable = The data folder or its database cannot be used: { $reason }. Run `deckhand doctor`.
log-unwritable = { $file } cannot be written: { $reason }. Set DECKHAND_DATA to a folder that is yours.
skills-invalid = A skill is not valid: { $reason }
policy-invalid = The sandbox policy is not valid: { $reason }
sandbox-unavailable = The sandbox cannot be used: { $reason }. Run `deckhand doctor` to see what is missing.
sandbox-degraded = This machine does not keep what the sandbox policy promises, so nothing was started. Mend it, or list what you accept under allow_degraded in the policy; `deckhand sandbox selftest` shows every check.
    { $reason }
sandbox-image-missing = The sandbox image has not been built on this machine. Run `{ $command }` once.
sandbox-build-needless = Neither the policy nor a skill lists a package: the image of `make image` serves.
sandbox-build-done = { $image } is ready.
sandbox-build-failed = The sandbox's image could not be built: { $reason }
sandbox-e2b-keyless = SANDBOX_URL is { $url }, and there is no key for E2B: set E2B_API_KEY.
serve-listening = Sandboxes are served at { $address }
serve-two-addresses = The service listens on a socket or on a port, not on both. --group goes with --socket.
serve-no-port = --host goes with --port: without one the service would listen on a socket.
serve-no-group = There is no group called { $name }.
serve-token-unreadable = The token cannot be read from { $file } ({ $reason }).
serve-token-missing = On a port the service needs a token of at least { $length } plain characters: set SANDBOX_TOKEN, or name a file with --token-file.
unexpected = Something went wrong on my side; the details are in { $file } under { $id }.

offline-note = No model is configured (LLM_BASE_URL, LLM_API_KEY), so the built-in offline recipes do the work: a standard overview, charts and a deck.
model-note = Model: { $model } at { $host }
ask-request-empty = The request is empty. Please say what you want: deckhand ask data.csv "what is in it?"
ask-request-missing = Please say what you want, in quotes, after the files: deckhand ask data.csv "what is in it?"
ask-file-missing = There is no file “{ $name }”. Check the path; the request comes last, in quotes.
ask-file-folder = “{ $name }” is a folder. Name the files in it, for example { $name }/*.csv
ask-file-unreadable = “{ $name }” cannot be read: { $reason }.
ask-out-unusable = Files cannot be put into “{ $name }”: { $reason }.
cancel-first = Stopping: what has been made is kept. Press Ctrl-C again to leave at once.
interrupted-runs = { $count ->
    [one] One run was interrupted earlier. `deckhand resume` finishes it.
   *[other] { $count } runs were interrupted earlier. `deckhand resume` finishes them.
}
resume-none = There is no interrupted run.
resume-going-on = { $count ->
    [one] Going on with one interrupted run.
   *[other] Going on with { $count } interrupted runs.
}
resume-telling = “{ $request }” had ended, but its outcome was not shown. Here it is.
outcome-untold = The outcome is kept, but could not be shown. `deckhand resume` tries again.
run-elsewhere = Another process is already working on this.
serve-nothing = There is nothing to serve: TELEGRAM_BOT_TOKEN is not set, and this is not a terminal. Put the token from @BotFather into .env.

chat-welcome = Hello! Say what you want; a path in the line, or /file PATH, adds a file. /help lists the commands, Ctrl-D leaves.
file-missing = There is no file “{ $name }”.
file-attached = Ready: { $names }. What shall I do with { $count ->
    [one] it
   *[other] them
}?
files-here = Files:
