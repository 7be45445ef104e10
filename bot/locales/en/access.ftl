# Who may use the bot, and how much of it.

access-stranger = I work for people whom my admin has let in. They hear that you are here; nothing of your message was kept.
access-unpaired = I have no admin yet. If I am yours: send me the code that I printed when I was started.
access-group = I work in groups that my admin has let in. An admin can write /allow here.
access-paired = You are my admin now. /users shows who may use me, /allow lets somebody in, /help lists everything.
access-welcome = You are in: my admin lets me work for you. Send me a file and say what you want; /help lists the rest.
access-knock = { $name } ({ $id }) would like to use me. Shall I work for them?

quota-denied = You may not use me any more.
quota-at-once-person = { $limit ->
    [one] One run of yours is under way, the most at a time
   *[other] { $limit } runs of yours are under way, the most at a time
}. Please send this again when one is done, or stop one with /cancel. Who can raise the limit: { $ask }.
quota-runs-person = { $limit ->
    [one] You have had one run within 24 hours, the most there is
   *[other] You have had { $limit } runs within 24 hours, the most there are
}. The next one can begin in { $hours } h { $minutes } min. Who can raise the limit: { $ask }.
quota-tokens-person = Your runs have used { $limit } tokens within 24 hours, the most there are. The next one can begin in { $hours } h { $minutes } min. Who can raise the limit: { $ask }.
quota-at-once-chat = { $limit ->
    [one] One run of this group is under way, the most at a time
   *[other] { $limit } runs of this group are under way, the most at a time
}. Please send this again when one is done. Who can raise the limit: { $ask }.
quota-runs-chat = { $limit ->
    [one] This group has had one run within 24 hours, the most there is
   *[other] This group has had { $limit } runs within 24 hours, the most there are
}. The next one can begin in { $hours } h { $minutes } min. Who can raise the limit: { $ask }.
quota-tokens-chat = The runs of this group have used { $limit } tokens within 24 hours, the most there are. The next one can begin in { $hours } h { $minutes } min. Who can raise the limit: { $ask }.
