"""What other bots got wrong, and the limits of Telegram: where each is tested, by what a person would see.

Each line names a file of this folder or of tests/, and a test in it.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent.parent
HERE = "bot/telegram/"

FAILURES = {
    "progress edits ignore flood control, and the ban grows": (
        ("bot/test_progress.py", "test_flood_control_pauses_frames_and_posts_nothing_new"),
        (
            "bot/test_progress.py",
            "test_a_chat_that_wants_a_rest_gets_it_from_all_its_runs_and_other_chats_none",
        ),
        (HERE + "test_answers.py", "test_flood_control_stops_frames_and_not_the_run"),
    ),
    "one flood error ends the editing, and messages pour in": (
        ("bot/test_progress.py", "test_flood_control_pauses_frames_and_posts_nothing_new"),
        (HERE + "test_answers.py", "test_flood_control_stops_frames_and_not_the_run"),
    ),
    "a timeout is retried, and the answer comes many times": (
        (HERE + "test_answers.py", "test_trouble_while_the_answer_is_sent_leaves_exactly_one"),
        (
            HERE + "test_answers.py",
            "test_files_that_may_not_have_arrived_are_told_once_and_resend_brings_them",
        ),
        ("bot/test_sending.py", "test_a_kill_at_any_call_leaves_one_answer_and_no_file_twice"),
    ),
    "a rich message is blank in the person's app": (
        (HERE + "test_answers.py", "test_rich_messages_are_for_chats_that_asked_for_them"),
        (HERE + "test_posting.py", "test_a_rich_answer_that_is_refused_comes_in_its_classic_form"),
        (HERE + "test_posting.py", "test_a_rich_answer_that_may_have_arrived_is_not_sent_again"),
    ),
    "an album is split, since a download restarted the wait": (
        (HERE + "test_requests.py", "test_an_album_with_one_caption_is_one_request_with_all_its_files"),
        (
            "bot/test_assembly.py",
            "test_an_album_of_ten_is_one_request_in_the_order_of_sending_however_it_arrives",
        ),
    ),
    "a command to stop waits behind the run that it should stop": (
        (HERE + "test_requests.py", "test_a_command_gets_its_answer_while_runs_are_at_work"),
        (HERE + "test_requests.py", "test_cancelling_a_run_at_work_ends_it_and_takes_the_button_away"),
        (HERE + "test_impatience.py", "test_a_storm_of_cancels_stops_everything_once_and_makes_no_noise"),
    ),
    "a wrong thread id, or that of General, and the answer goes elsewhere": (
        (HERE + "test_groups.py", "test_an_answer_stays_in_the_topic_of_its_request"),
        (HERE + "test_groups.py", "test_a_chain_of_replies_in_a_plain_group_is_no_topic"),
        (HERE + "test_groups.py", "test_an_answer_for_a_topic_that_was_deleted_goes_nowhere_else"),
    ),
    "a cut through marks and letters": (
        (HERE + "test_answers.py", "test_a_long_answer_comes_whole_in_pages_that_telegram_takes"),
        (HERE + "test_markup.py", "test_marks_stay_with_their_words_on_every_page"),
    ),
    "a task that nobody holds disappears in the middle of a message": (
        ("bot/test_intake.py", "test_when_we_close_nothing_more_is_taken"),
        (HERE + "test_receiving.py", "test_a_message_is_confirmed_only_after_it_was_stored"),
    ),
    "an empty cell loses the answer": (
        (HERE + "test_markup.py", "test_whatever_markdown_is_written_can_be_sent"),
        (HERE + "test_answers.py", "test_an_empty_answer_says_so"),
    ),
    "a message says that it is working for ever": (
        (HERE + "test_requests.py", "test_cancelling_a_run_at_work_ends_it_and_takes_the_button_away"),
        (HERE + "test_questions.py", "test_a_run_that_asks_can_be_cancelled"),
    ),
}
LIMITS = {
    "text of 4096 units": (
        (HERE + "test_answers.py", "test_a_long_answer_comes_whole_in_pages_that_telegram_takes"),
        (HERE + "test_answers.py", "test_an_answer_of_more_than_three_pages_is_two_of_them_and_a_file"),
        (HERE + "test_requests.py", "test_a_long_text_that_telegram_cuts_is_one_request"),
    ),
    "100 marks": ((HERE + "test_answers.py", "test_a_long_answer_comes_whole_in_pages_that_telegram_takes"),),
    "albums of 2 to 10 of one kind": (
        (HERE + "test_answers.py", "test_many_files_come_in_albums_with_pictures_first"),
    ),
    "captions of 1024 units": (
        (HERE + "test_files.py", "test_pictures_come_as_photos_that_tell_their_names"),
    ),
    "downloads of 20 MB": (
        (HERE + "test_requests.py", "test_a_file_above_20_mb_is_refused_before_telegram_is_asked_for_it"),
        (HERE + "test_files.py", "test_with_a_server_of_one_s_own_large_files_come_from_its_folder"),
    ),
    "uploads of 50 MB": (
        (HERE + "test_answers.py", "test_a_file_above_50_mb_is_named_with_the_reason_and_the_others_come"),
        (HERE + "test_files.py", "test_with_a_server_of_one_s_own_files_above_50_mb_go_out"),
    ),
    "photos of 10 MB, 10,000 pixels and 1 to 20": (
        (HERE + "test_answers.py", "test_a_picture_that_is_no_photo_for_telegram_comes_as_a_document"),
        (HERE + "test_files.py", "test_a_picture_beyond_telegram_s_limits_is_a_document"),
    ),
    "toasts of 200 characters": ((HERE + "test_posting.py", "test_a_toast_keeps_to_telegram_s_limit"),),
    "callback data of 64 bytes": (
        (HERE + "test_impatience.py", "test_every_button_may_be_pressed_twice_and_answers_kindly"),
        ("bot/test_buttons.py", None),
    ),
    "a message a second, 20 a minute in a group": (
        (HERE + "test_posting.py", "test_groups_are_edited_less_often_than_private_chats"),
        ("bot/test_progress.py", "test_a_frame_is_due_after_the_gap_or_at_the_heartbeat"),
        ("bot/test_sending.py", "test_a_busy_chat_is_left_alone_for_exactly_as_long_as_it_says"),
    ),
    "rich messages of 32,768 characters": (
        (
            HERE + "test_markup.py",
            "test_an_answer_that_is_too_large_for_a_rich_message_comes_as_a_classic_one",
        ),
    ),
    "commands per language and scope": (
        (HERE + "test_menu.py", "test_each_person_is_offered_what_they_may_use_in_their_language"),
    ),
    "an update is told again until it is confirmed": (
        (
            HERE + "test_receiving.py",
            "test_a_message_that_cannot_be_stored_stops_the_polling_and_is_told_again",
        ),
        (HERE + "test_receiving.py", "test_a_message_that_the_webhook_could_not_store_is_told_again"),
    ),
    "one program per token": (
        (HERE + "test_receiving.py", "test_a_second_program_with_the_same_token_is_named_in_the_log"),
    ),
}


@pytest.mark.parametrize("subject", [*FAILURES, *LIMITS])
def test_each_known_failure_and_each_limit_has_its_tests(subject: str) -> None:
    for name, test in (FAILURES | LIMITS)[subject]:
        found = {
            node.name
            for node in ast.walk(ast.parse((TESTS / name).read_text("utf-8")))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        }
        assert found if test is None else test in found, f"{name} has no {test}"
