"""What people see in groups, topics and channels: the whole program, over HTTP."""

import pytest

from bot.chat import ChatRef
from tests.bot.telegram.service import ANN, BEN, CSV, Service, texts
from tests.fakes.botapi import Person

ME = "@deckhand_bot"
OTHER = ("costs.csv", b"month,sum\nMay,7\n", "text/csv")


@pytest.fixture
def ann(service: Service) -> Person:
    return service.server.person(ANN, "Ann")


@pytest.fixture
def ben(service: Service) -> Person:
    return service.server.person(BEN, "Ben")


@pytest.mark.parametrize("privacy", [True, False])
async def test_in_a_group_only_a_mention_a_reply_and_a_command_are_answered(
    service: Service, ann: Person, ben: Person, *, privacy: bool
) -> None:
    service.server.privacy = privacy
    group = await service.group(ann, ben)
    await group.say("Shall we have lunch?", by=ben)
    await group.send([CSV], "for the meeting", by=ben)
    await group.say("/status@other_bot", by=ben)
    await service.idle()
    assert (group.answers, await service.runs(), service.server.reactions) == ([], [], [])

    await group.say(f"{ME}, what can you tell?", by=ann)
    await service.idle()
    answer = group.answers[-1]
    await group.say("and shorter?", by=ben, reply_to=answer)
    await service.idle()
    await group.say("/status@deckhand_bot", by=ben)
    await service.idle()
    assert [run.request for run in await service.runs()] == ["what can you tell?", "and shorter?"]
    assert texts(group)[-1] == "Nothing is running here."


async def test_an_answer_stays_in_the_topic_of_its_request(service: Service, ann: Person) -> None:
    forum = await service.group(ann, forum=True)
    sales, costs = await forum.topic("Sales"), await forum.topic("Costs")
    service.makes({"a.csv": b"1"}, "Done.")
    await forum.send([CSV], f"{ME} look", topic=sales)
    await service.idle()
    await forum.say(f"{ME} hello", topic=costs)
    await service.idle()
    await forum.say(f"{ME} good morning")
    await service.idle()
    places = [post.topic and post.topic.name for post in forum.answers]
    assert places == ["Sales"] * 3 + ["Costs"] * 3 + [None] * 3
    sent = [call.params.get("message_thread_id") for call in service.server.called("sendMessage")]
    assert {str(thread) for thread in sent if thread} == {str(sales.id), str(costs.id)}
    # A topic is a conversation of its own: nothing of Sales comes along to Costs.
    assert [len(run.inputs) for run in await service.runs()] == [1, 0, 0]


async def test_a_chain_of_replies_in_a_plain_group_is_no_topic(service: Service, ann: Person) -> None:
    group = await service.group(ann)
    await group.say(f"{ME} one")
    await service.idle()
    await group.say("two", reply_to=group.answers[-1])
    await service.idle()
    await group.say("three", reply_to=group.answers[-1])
    await service.idle()
    assert len({run.conversation_id for run in await service.runs()}) == 1
    assert texts(group).count("42 it is.") == 3


async def test_an_answer_for_a_topic_that_was_deleted_goes_nowhere_else(
    service: Service, ann: Person
) -> None:
    forum = await service.group(ann, forum=True)
    sales = await forum.topic("Sales")
    service.provoked.append("not found")
    gate = await service.busy(forum, f"{ME} count", topic=sales)
    await forum.delete_topic(sales)
    gate.set()
    await service.idle()
    assert forum.visible() == []
    assert (await service.run()).answer == "**42** it is.", "it is kept"


async def test_a_group_that_becomes_a_supergroup_in_the_middle_gets_its_answer_there_once(
    service: Service, ann: Person
) -> None:
    service.provoked.append("upgraded to a supergroup")
    group = await service.group(ann, basic=True)
    service.makes({"a.csv": b"1"}, "Done.")
    gate = await service.busy(group, f"{ME} count")
    new = await group.migrate()
    gate.set()
    await service.idle()
    assert texts(new).count("Done.") == 1
    assert [file.name for file in new.documents] == ["a.csv"]
    assert "Done." not in texts(group)
    await new.say(f"{ME} once more")
    await service.idle()
    assert [run.status for run in await service.runs()] == ["finished", "finished"]
    assert len({run.conversation_id for run in await service.runs()}) == 1, "its history was left behind"


async def test_two_people_who_work_side_by_side_do_not_get_each_others_files(
    service: Service, ann: Person, ben: Person
) -> None:
    group = await service.group(ann, ben)
    await group.send([CSV], f"{ME} sales, please", by=ann)
    await group.send([OTHER], f"{ME} costs, please", by=ben)
    await service.idle()
    await group.say(f"{ME} and as a chart", by=ann)
    await service.idle()
    mine, others, again = await service.runs()
    assert [list(await service.content(run)) for run in (mine, others, again)] == [
        ["sales.csv"],
        ["costs.csv"],
        ["sales.csv"],
    ]
    assert [mine.sender, others.sender, again.sender] == ["7", "8", "7"]


async def test_who_has_no_file_there_goes_on_with_that_of_the_group(
    service: Service, ann: Person, ben: Person
) -> None:
    group = await service.group(ann, ben)
    await group.send([CSV], f"{ME} sales, please", by=ann)
    await service.idle()
    await group.say(f"{ME} as a deck, please", by=ben)
    await service.idle()
    assert list(await service.content(await service.run())) == ["sales.csv"]


async def test_a_reply_to_a_colleagues_result_brings_its_files(
    service: Service, ann: Person, ben: Person
) -> None:
    group = await service.group(ann, ben)
    await group.send([CSV], f"{ME} sales, please", by=ann)
    await service.idle()
    answer = group.answers[-1]
    await group.send([OTHER], f"{ME} compare", by=ben, reply_to=answer)
    await service.idle()
    assert sorted(await service.content(await service.run())) == ["costs.csv", "sales.csv"]


async def test_a_private_file_is_not_there_in_a_group(service: Service, ann: Person) -> None:
    chat, group = await service.ann(), await service.group(ann)
    await chat.send([CSV], "keep this between us")
    await service.idle()
    await group.say(f"{ME} what did I send you?")
    await group.say("/files@deckhand_bot")
    await service.idle()
    assert (await service.run()).inputs == ()
    assert "There are no files here yet." in texts(group)


async def test_a_colleagues_file_that_waits_for_words_does_not_go_with_mine(
    service: Service, ann: Person, ben: Person
) -> None:
    group = await service.group(ann, ben)
    await group.send([CSV], ME, by=ann)
    await service.idle()
    question = group.answers[-1]
    await group.say(f"{ME} tell me a figure", by=ben)
    await service.idle()
    assert (await service.run()).inputs == ()
    press = await group.press(question, "Overview", by=ben)
    assert await press.answered() == "Only the person who asked can do that."
    press = await group.press(question, "Overview", by=ann)
    assert await press.answered() == "On it."
    await service.idle()
    assert list(await service.content(await service.run())) == ["sales.csv"]


async def test_a_channel_is_never_answered(service: Service, ann: Person) -> None:
    channel = service.server.channel("News", [ann])
    await channel.say(f"{ME} hello")
    await channel.send([CSV], f"{ME} look")
    await service.idle()
    assert (channel.answers, await service.runs()) == ([], [])


async def test_a_group_that_nobody_allowed_gets_one_line_and_no_work(service: Service, ann: Person) -> None:
    await service.ann()
    group = service.server.group("Strangers", [ann])
    for _ in range(3):
        await group.say(f"{ME} work for us")
        await service.idle()
    assert texts(group) == ["I work in groups that my admin has let in. An admin can write /allow here."]
    assert await service.runs() == []


async def test_a_bot_that_is_thrown_out_stops_and_is_quiet(service: Service, ann: Person) -> None:
    service.provoked.append("bot was kicked")
    group = await service.group(ann)
    gate = await service.busy(group, f"{ME} count")
    await group.kick_bot()
    await service.server.until(lambda: not service.server.updates.pending)
    gate.set()
    await service.idle()
    (run,) = await service.runs()
    assert run.status == "cancelled"
    conversations = await service.app.store.conversations.of_chat("telegram", str(group.id))
    assert [ChatRef.of(found.platform, found.key).chat for found in conversations] == [str(group.id)]
