# How a run's outcome reaches its person.

headline = Your answer is ready.
answer-long = That is the beginning. The whole answer is in { $name }.
answer-long-verified = That is the beginning. The whole answer is in { $name }. { $verified }
table-outside = Table { $number }: see the picture and { $name }.
files-refused = The files could not be handed over: { $reason }. They are kept.
resend-hint = /resend tries again.
may-be-missing = The connection broke off while I was sending. If something is missing here, /resend sends it again.
