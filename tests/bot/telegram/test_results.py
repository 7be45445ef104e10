"""Results that prove themselves: what stands under an answer, previews, /why, /bundle, /again. Over HTTP."""

import io
import zipfile

from agent.factbook import Fact, Source
from agent.scripts import Scripts, TodoScripts
from agent.verification import Rerun, UntracedNumber, Verification
from storage.records import InputRef
from tests.bot.telegram.conftest import png
from tests.bot.telegram.service import CSV, Service, texts

FINE = Verification(numerals=46, traced=46, rerun=Rerun.IDENTICAL)
SHARE = Fact(
    kind="fact",
    id="survived_share",
    value=0.3838383838,
    unit="%",
    text="38.4%",
    expression="Survived.mean()",
    rows=891,
    files=(Source(name="titanic.csv", sha256="0123456789abcdef" * 4),),
    script="explore.py",
    line=12,
    code='share = facts.fact("survived_share", "Survived.mean()", of=df, unit="%")  # /delete @boss',
    traced=True,
)
REVENUE = Fact(kind="fact", id="revenue", value=847368.3, unit="£", text="£847,368", rows=10, traced=True)
PAGES = {f"deck.pptx-{n:02}.png": png(960, 540 + n) for n in range(1, 13)}
NEW = ("june.csv", b"month,sum\nJune,12\n", "text/csv")


async def test_what_was_checked_stands_under_the_answer_in_one_message(service: Service) -> None:
    chat, ben = await service.ann(), await service.ben("ru")
    service.makes({}, "Sales **rose**.", checked=FINE)
    await chat.say("look")
    await service.idle()
    assert texts(chat)[-1] == "Sales rose.\n\n46 of 46 numbers traced · re-run identical"
    left = UntracedNumber(file="deck.pptx", place="слайд 4", text="38,5 %")
    service.makes({}, "Рост.", checked=Verification(numerals=2, traced=1, untraced=(left,)))
    await ben.say("посмотри")
    await service.idle()
    answer = texts(ben)[-1]
    assert answer.startswith("Рост.\n\nПрослежено чисел: 1 из 2\n\n")
    assert answer.endswith("Не прослежены: 38,5 % (слайд 4)")
    assert service.refused == []


async def test_a_long_answer_has_it_on_its_last_page_and_a_longer_one_in_the_chat_and_the_file(
    service: Service,
) -> None:
    chat = await service.ann()
    for paragraphs in (14, 60):
        answer = "\n\n".join(f"Paragraph {number}. " + "word " * 100 for number in range(paragraphs))
        service.makes({}, answer, checked=FINE)
        await chat.say("look")
        await service.idle()
    told = [text for text in texts(chat) if "46 of 46 numbers traced · re-run identical" in text]
    assert len(told) == 2
    assert told[0].endswith("re-run identical")
    assert told[1].startswith("That is the beginning. The whole answer is in answer.md. 46 of 46")
    assert chat.documents[-1].data.decode().endswith("46 of 46 numbers traced · re-run identical")


async def test_previews_come_as_one_album_before_the_files_and_are_no_files(service: Service) -> None:
    chat = await service.ann()
    service.makes({"deck.pptx": b"deck"}, previews=PAGES)
    await chat.say("make a deck")
    await service.idle()
    assert [file.data for file in chat.photos] == _evenly(10)
    assert [file.name for file in chat.documents] == ["deck.pptx"]
    await chat.say("/files")
    await service.heard()
    assert "deck.pptx — 4 B" in texts(chat)[-1]
    assert ".png" not in texts(chat)[-1]
    await chat.say("and now?")
    await service.idle()
    assert [item.name for item in (await service.run()).inputs] == ["deck.pptx"]


def _evenly(most: int) -> list[bytes]:
    pages = list(PAGES.values())
    return [pages[place * 11 // (most - 1)] for place in range(most)]


async def test_where_nobody_wants_previews_there_are_none(service: Service) -> None:
    chat = await service.ann()
    await chat.say("/settings")
    await service.heard()
    await (await chat.press(chat.answers[-1], "Pictures before the files: on")).answered()
    await service.heard()
    service.makes({"deck.pptx": b"deck"}, previews=PAGES)
    await chat.say("make a deck")
    await service.idle()
    assert (chat.photos, [file.name for file in chat.documents]) == ([], ["deck.pptx"])


async def test_only_all_of_a_run_has_its_previews_sent_again(service: Service) -> None:
    chat = await service.ann()
    service.makes({"deck.pptx": b"deck"}, previews={"deck.pptx-01.png": png(960, 540)})
    await chat.say("make a deck")
    await service.idle()
    for words, photos, documents in (("/resend", 1, 2), ("/resend all", 2, 3)):
        await chat.say(words)
        await chat.until(lambda chat, documents=documents: len(chat.documents) == documents)
        assert len(chat.photos) == photos


async def test_why_shows_the_fact_its_rows_and_the_code_which_does_nothing(service: Service) -> None:
    chat = await service.ann()
    service.makes({}, "38.4% survived.", facts=(SHARE, REVENUE), checked=FINE)
    await chat.say("look")
    await service.idle()
    answer = chat.answers[-1]
    await chat.say("/why 38.4%")
    await service.heard()
    told = chat.answers[-1]
    for words in (
        "38.4% – survived_share",
        "rows used: 891",
        "file titanic.csv (SHA-256 0123456789ab…)",
        "script explore.py, line 12",
        SHARE.code,
    ):
        assert words in told.text
    assert "£847,368" not in told.text
    assert sorted({entity["type"] for entity in told.entities}) == ["bold", "pre"]
    runs = len(await service.runs())
    for question, expected in (
        ("why 38.4%?", "survived_share"),
        ("Why revenue?", "£847,368 – revenue"),
        ("почему 38,4 %?", "survived_share"),
        ("why?", "46 of 46 numbers traced"),
        ("why 38.9%", "The nearest one is 38.4% (survived_share)"),
        ("why turnover", "I know no such number"),
    ):
        await chat.say(question, reply_to=answer)
        await service.heard()
        assert expected in chat.answers[-1].text, question
    assert len(await service.runs()) == runs
    assert service.refused == []


async def test_a_number_without_a_source_is_said_to_be_one(service: Service) -> None:
    chat = await service.ann()
    left = UntracedNumber(file="deck.pptx", place="slide 4", text="38.5%")
    checked = Verification(numerals=2, traced=1, untraced=(left,))
    service.makes({}, "Look.", facts=(SHARE,), checked=checked)
    await chat.say("look")
    await service.idle()
    await chat.say("/why 38.5%")
    await service.heard()
    assert texts(chat)[-1].startswith("38.5% (deck.pptx, slide 4) could not be traced")


async def test_a_bundle_is_made_when_it_is_asked_for_and_is_no_file_of_the_conversation(
    service: Service,
) -> None:
    chat = await service.ann()
    todo = TodoScripts(id="look", sources={"01.py": "print(1)\n"}, runs=("01.py",))
    service.makes({}, facts=(SHARE,), scripts=Scripts(todos=(todo,)))
    await chat.say("look")
    await service.idle()
    answer, run = chat.answers[-1], await service.run()
    service.makes({})
    await chat.say("and now?")
    await service.idle()
    for count in (1, 2):
        await chat.say("/bundle", reply_to=answer)
        await chat.until(lambda chat, count=count: len(chat.documents) == count)
    packed = chat.documents[-1]
    assert packed.name == f"bundle-{run.id}.zip"
    assert packed.data == chat.documents[0].data
    with zipfile.ZipFile(io.BytesIO(packed.data)) as archive:
        held = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    assert b"print(1)\n" in held.values()
    assert "run.sh" in held
    assert SHARE.id in str(held)
    await service.heard()
    await chat.say("/files")
    await service.heard()
    assert texts(chat)[-1] == "There are no files here yet."
    await chat.say("and again?")
    await service.idle()
    assert (await service.run()).inputs == ()
    assert service.refused == []


async def test_any_other_question_is_a_request(service: Service) -> None:
    chat = await service.ann()
    service.makes({}, "38.4% survived.", facts=(SHARE,))
    request = await chat.say("look")
    await service.idle()
    answer = chat.answers[-1]
    asked = (
        ("why did it fall in spring and not in autumn?", answer),
        ("why did it fall?", answer),
        ("explain 38.4%", answer),
        ("why 38.4%?", request),
        ("why 38.4%??", None),
    )
    for words, to in asked:
        await chat.say(words, reply_to=to)
        await service.idle()
    assert [run.request for run in await service.runs()] == ["look", *(words for words, _ in asked)]


async def test_before_there_is_an_answer_why_and_bundle_say_so(service: Service) -> None:
    chat = await service.ann()
    for command in ("/why", "/why 12", "/bundle"):
        await chat.say(command)
        await service.heard()
        assert texts(chat)[-1] == "There is no answer here yet whose numbers I could explain."
    service.makes({})
    await chat.say("look")
    await service.idle()
    await chat.say("/bundle")
    await service.heard()
    assert texts(chat)[-1] == "Nothing was computed for that answer, so there is nothing to pack."


async def test_again_with_a_file_has_the_scripts_of_the_run_before(service: Service) -> None:
    chat = await service.ann()
    await chat.send([CSV], "Make the monthly deck")
    await service.idle()
    first = await service.run()
    answer = chat.answers[1]
    await chat.say("Something else")
    await service.idle()
    await chat.send([NEW], "/again", reply_to=answer)
    await service.idle()
    await chat.send([NEW], "то же самое", reply_to=answer)
    await service.idle()
    for run in (await service.runs())[-2:]:
        assert (run.request, run.redoes, run.repeats) == ("Make the monthly deck", first.id, None)
        assert _new(run.inputs) == ["june.csv"]
    await chat.send([NEW], "/again")
    await service.idle()
    last = (await service.runs())[-2]
    assert (await service.run()).redoes == last.id


async def test_an_album_that_says_again_comes_along_as_a_whole(service: Service) -> None:
    chat = await service.ann()
    await chat.send([CSV], "Make the monthly deck")
    await service.idle()
    await chat.send([NEW, ("july.csv", b"month,sum\nJuly,9\n", "text/csv")], "/again")
    await service.idle()
    _, run = await service.runs()
    assert (run.request, sorted(_new(run.inputs))) == ("Make the monthly deck", ["july.csv", "june.csv"])


async def test_again_after_a_run_that_failed_is_the_request_alone(service: Service) -> None:
    chat = await service.ann()
    service.fails()
    await chat.send([CSV], "Make the monthly deck")
    await service.idle()
    await chat.send([NEW], "/again")
    await service.idle()
    run = await service.run()
    assert (run.request, run.redoes) == ("Make the monthly deck", None)


async def test_the_same_without_an_answer_that_it_is_about_is_a_request_like_any_other(
    service: Service,
) -> None:
    chat = await service.ann()
    await chat.send([CSV], "same")
    await service.idle()
    assert ((await service.run()).request, (await service.run()).redoes) == ("same", None)


def _new(inputs: tuple[InputRef, ...]) -> list[str]:
    return [item.name for item in inputs if not (item.earlier or item.made or item.brand)]
