# `deckhand doctor`: what was looked at, what was found, and how to mend it.

doctor-title = What Deckhand needs
doctor-level-ok = fine
doctor-level-warning = look
doctor-level-failure = missing
doctor-check-data = data folder
doctor-check-disk = free disk
doctor-check-policy = sandbox policy
doctor-check-engine = Docker engine
doctor-check-image = sandbox image
doctor-check-proof = sandbox proof
doctor-check-degraded = degraded
doctor-check-exceptions = exceptions
doctor-check-runc = runc
doctor-check-apparmor = AppArmor
doctor-check-host = host
doctor-check-service = sandbox service
doctor-check-model = language model
doctor-check-skills = skills
doctor-data-ok = { $folder } is there and can be written.
doctor-data-bad = { $folder } cannot be written: { $reason }. Set DECKHAND_DATA to a folder that is yours.
doctor-disk-ok = { $free } free.
doctor-disk-low = Only { $free } free. Images, inputs and results need about 2 GB: make room.
doctor-policy-ok = { $file }: valid.
doctor-policy-bad = { $reason }. Mend that key, or leave SANDBOX_POLICY empty for the default.
doctor-engine-ok = It answers.
doctor-engine-bad = No answer: { $reason }. Install or start Docker with `make docker`, and see that you may use it (group docker).
doctor-image-ok = { $image } is there.
doctor-image-missing = { $image } has not been built. Run `{ $command }`.
doctor-image-unknown = Cannot be looked up while no engine answers.
doctor-proof = { $kept } of { $all } promises of the policy hold inside a container. `deckhand sandbox selftest` shows each.
doctor-proof-bad = Only { $kept } of { $all } promises of the policy hold inside a container. Mend what is missing, or list what you accept under allow_degraded in the policy.
doctor-proof-none = Nothing could be proved: { $reason }
doctor-degraded = { $code }: expected { $expected }; found { $found }. { $mend } Nothing runs until then.
doctor-degraded-accepted = { $code }, which allow_degraded accepts: expected { $expected }; found { $found }. { $mend }
doctor-degraded-none = Nothing: every promise of the policy is kept.
doctor-exceptions = The policy is weaker than usual by { $keys }. If nobody wanted that, remove it.
doctor-exceptions-none = None.
doctor-host-fine = { $found }.
doctor-host-look = { $code }: { $found }. { $mend }
doctor-service-ok = { $url } answers.
doctor-service-unasked = { $url } is set, and nothing was asked: only a run makes a machine and shows whether E2B takes the key.
doctor-service-bad = { $reason }. Check SANDBOX_URL and SANDBOX_TOKEN, and that `deckhand sandbox serve` runs there.
doctor-model-offline = None is configured, so the offline recipes work. For a model, set LLM_BASE_URL, LLM_API_KEY and LLM_MODEL in .env.
doctor-model-ok = { $url } answers and offers { $model }.
doctor-model-unlisted = { $url } answers, but does not list { $model }. Check LLM_MODEL.
doctor-model-silent = { $url } answers with status { $status } to a list of models; some gateways have none. If runs fail, check LLM_BASE_URL.
doctor-model-refused = { $url } refuses the key (status { $status }). Check LLM_API_KEY.
doctor-model-unreachable = { $url } does not answer ({ $reason }). Check LLM_BASE_URL, the network, DECKHAND_PROXY and DECKHAND_CA_FILE.
doctor-skills-ok = { $count } found, all valid.
doctor-skills-replaced = { $count } found, all valid. Yours replaces ours: { $names }.
doctor-skills-bad = { $reason }
doctor-summary-ok = Ready.
doctor-summary-bad = { $count ->
    [one] One thing is missing.
   *[other] { $count } things are missing.
}

selftest-title = What policy { $policy } promises, as found inside a container
selftest-check = check
selftest-expected = expected
selftest-found = found
selftest-verdict = verdict
selftest-summary = Of { $all } checks { $kept } hold, { $look } want a look, { $accepted } broken and accepted, { $broken } broken. { $at } UTC, engine { $engine }, runc { $runc }, kernel { $kernel }.
selftest-written = The report is in { $file } and { $data }.
selftest-unwritable = { $file } cannot be written: { $reason }. Choose another place with --out.
