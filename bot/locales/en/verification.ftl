# What was checked of the results: the line under the answer, and what /why tells.

verified-numbers = { $traced } of { $numerals } numbers traced
verified-rerun-identical = re-run identical
verified-rerun-different = re-run differs
verified-rerun-failed = re-run failed
verified-untraced = Not traced: { $numbers }
verified-number = { $number } ({ $place })
verified-number-asserted = { $number } ({ $place }; stated with a source, not computed)
verified-in-answer = answer
verified-more-numbers = { $count } more
verified-differences = When run again: { $facts }
verified-finding = { $place }: { $what }
verified-more = … and { $count } more: /why

# By number of the check. A code of its own may have a better sentence.
finding-1 = may not open everywhere as it should
finding-2 = a placeholder or leftover text is still there
finding-3 = something lies outside the page or too close to its edge
finding-4 = a text may not fit its box
finding-5 = things overlap
finding-6 = a text is too small, or there are too many fonts
finding-7 = a text is hard to read against its background
finding-8 = a chart lacks something: its data, axes or units
finding-9 = a picture is blurred, distorted or has no description
finding-10 = notes with sources, or the page on method, are missing
finding-11 = a title does not say what was found, is repeated or too long
finding-12 = a character has no shape in the font
finding-13 = too many slides look the same
finding-14 = a number could not be traced
finding-15 = a formula has an error
finding-16 = a second look found something to mend
finding-unchecked = could not be checked
finding-other = something is not as it should be
