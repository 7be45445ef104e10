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
doctor-check-service = sandbox service
doctor-check-model = language model
doctor-check-skills = skills
doctor-data-ok = { $folder } is there and can be written.
doctor-data-bad = { $folder } cannot be written: { $reason }. Set DECKHAND_DATA to a folder that is yours.
doctor-disk-ok = { $free } free.
doctor-disk-low = Only { $free } free. Images, inputs and results need about 2 GB: make room.
doctor-policy-ok = { $file } is valid.
doctor-policy-bad = { $reason }. Mend that key, or leave SANDBOX_POLICY empty for the default.
doctor-engine-ok = It answers.
doctor-engine-bad = No answer: { $reason }. Install or start Docker with `make docker`, and see that you may use it (group docker).
doctor-image-ok = { $image } is there.
doctor-image-missing = { $image } has not been built. Run `make image`.
doctor-image-unknown = Cannot be looked up while no engine answers.
doctor-service-ok = { $url } answers.
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
