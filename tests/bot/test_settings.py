import re
from pathlib import Path

import pytest

from bot.commands import MENU
from bot.errors import SettingsError
from bot.settings import Prices, Settings, read_settings
from bot.texts import Language, texts
from tests.bot.certificates import ONE

EXAMPLE = Path(__file__).parents[2] / ".env.example"
README = EXAMPLE.with_name("README.md")


def test_nothing_set_means_offline_and_a_data_folder_here(tmp_path: Path) -> None:
    settings = read_settings({}, tmp_path / ".env")
    assert settings == Settings()
    assert settings.data == Path.cwd() / "data"
    assert settings.database == str(Path.cwd() / "data" / "deckhand.db")


def test_the_environment_wins_over_the_file_and_empty_is_unset(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("LLM_MODEL=small\nDECKHAND_LANGUAGE=ru\nLLM_BASE_URL=\n", encoding="utf-8")
    settings = read_settings({"LLM_MODEL": "large"}, file)
    assert (settings.llm_model, settings.deckhand_language) == ("large", Language.RUSSIAN)
    assert settings.llm_base_url is None


def test_an_unknown_variable_of_ours_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"DECKHAND_LANGAUGE": "en"}, tmp_path / ".env")
    assert caught.value.facts == {"name": "DECKHAND_LANGAUGE", "nearest": "DECKHAND_LANGUAGE"}


def test_only_a_close_name_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"DECKHAND_FOO": "1"}, tmp_path / ".env")
    assert (caught.value.key, caught.value.facts) == ("settings-unknown", {"name": "DECKHAND_FOO"})


def test_an_unknown_variable_in_the_file_is_an_error_too(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("DECKHAND_DATE=x\n", encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read_settings({}, file)
    assert caught.value.facts["nearest"] == "DECKHAND_DATA"


def test_variables_of_others_are_left_alone(tmp_path: Path) -> None:
    assert read_settings({"HOME": "/root", "LLM_SOMETHING": "x"}, tmp_path / ".env") == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LLM_BASE_URL", "localhost:8000"),
        ("LLM_PRICES", "cheap"),
        ("LLM_PRICES", "1/-2"),
        ("DECKHAND_MAX_TOKENS", "0"),
        ("DECKHAND_LANGUAGE", "fr"),
        ("SANDBOX_URL", "/run/sandbox.sock"),
        ("SANDBOX_URL", "unix://relative.sock"),
        ("SANDBOX_URL", "http://user:word@host"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_variable(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({name: value}, tmp_path / ".env")
    assert caught.value.key == "settings-invalid"
    assert caught.value.facts["name"] == name


@pytest.mark.parametrize("value", ["proxy:3128", "socks5://proxy:1080", "socks5h://proxy", "http://"])
def test_a_proxy_that_the_client_cannot_use_is_refused_at_start(tmp_path: Path, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"DECKHAND_PROXY": value}, tmp_path / ".env")
    assert (caught.value.key, caught.value.facts) == ("settings-proxy", {"name": "DECKHAND_PROXY"})


def test_a_proxy_of_the_environment_counts_when_a_model_would_go_through_it(tmp_path: Path) -> None:
    socks, model = {"all_proxy": "socks5://proxy:1080"}, {"LLM_BASE_URL": "http://llm.test"}
    with pytest.raises(SettingsError) as caught:
        read_settings(socks | model, tmp_path / ".env")
    assert caught.value.facts == {"name": "all_proxy"}
    for fine in (
        socks,
        model | {"HTTPS_PROXY": "proxy:3128", "http_proxy": "http://proxy:3128"},
        socks | model | {"DECKHAND_PROXY": "https://proxy:3128"},
    ):
        assert read_settings(fine, tmp_path / ".env").llm_base_url == fine.get("LLM_BASE_URL")


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/v1",
        "http://169.254.170.2/v1",
        "http://2852039166/v1",
        "http://0xa9fea9fe/v1",
        "http://0251.0376.0251.0376/v1",
        "http://user@169.254.169.254:80/v1",
        "http://[::ffff:169.254.169.254]/v1",
        "http://[fd00:ec2::254]/v1",
        "http://[fe80::1%25eth0]/v1",
        "http://METADATA.google.internal./v1",
    ],
)
def test_82_the_model_is_not_where_a_cloud_keeps_credentials(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"LLM_BASE_URL": url}, tmp_path / ".env")
    assert caught.value.key == "settings-model-address"


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/v1", "http://[::1]/v1", "http://10.0.0.5/v1"])
def test_a_model_may_be_on_this_machine_or_the_next(tmp_path: Path, url: str) -> None:
    assert read_settings({"LLM_BASE_URL": url}, tmp_path / ".env").llm_base_url == url


def test_an_address_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"LLM_BASE_URL": "http://[::1/v1"}, tmp_path / ".env")
    assert caught.value.key == "settings-invalid"


def test_a_password_in_the_models_address_is_a_secret(tmp_path: Path) -> None:
    settings = read_settings({"LLM_BASE_URL": "https://me:s3cret@llm.test/v1"}, tmp_path / ".env")
    assert "s3cret" in settings.secrets


def test_a_file_of_certificates_is_looked_into_at_start(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.pem", tmp_path / "bad.pem"
    good.write_text(ONE)
    bad.write_text("not a certificate")
    assert read_settings({"DECKHAND_CA_FILE": str(good)}, tmp_path / ".env").deckhand_ca_file == good
    for file, key in (
        (bad, "settings-certificates-bad"),
        (tmp_path / "none.pem", "settings-certificates-unreadable"),
        (tmp_path, "settings-certificates-unreadable"),
    ):
        with pytest.raises(SettingsError) as caught:
            read_settings({"DECKHAND_CA_FILE": str(file)}, tmp_path / ".env")
        assert (caught.value.key, caught.value.facts["file"]) == (key, str(file))
        assert all(str(file) in texts(language)(key, **caught.value.facts) for language in Language)


def test_a_refusal_does_not_repeat_the_value(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"LLM_BASE_URL": "sk-secretsecret"}, tmp_path / ".env")
    assert "sk-secretsecret" not in str(caught.value)


def test_secrets_do_not_show_and_are_known_to_the_log() -> None:
    settings = read_settings(
        {"LLM_API_KEY": "sk-abc", "DECKHAND_PROXY": "http://me:pass@proxy:1"}, Path("missing")
    )
    assert "sk-abc" not in repr(settings)
    assert settings.secrets == ("sk-abc", "pass")


@pytest.mark.parametrize("text", ["0.5/2/0.05", '{"input": 0.5, "output": 2, "cached": 0.05}'])
def test_prices_are_given_with_slashes_or_as_json(text: str) -> None:
    prices = read_settings({"LLM_PRICES": text}, Path("missing")).llm_prices
    assert prices == Prices(input=0.5, output=2.0, cached=0.05)


def test_cached_tokens_cost_their_own_price() -> None:
    prices = Prices(input=10, output=20, cached=1)
    assert prices.cost(1_000_000, 500_000, 400_000) == pytest.approx(6 + 0.4 + 10)
    assert Prices(input=10, output=0).cost(1_000_000, 0, 400_000) == pytest.approx(10)


def test_limits_take_over_only_what_was_set() -> None:
    limits = read_settings({"DECKHAND_MAX_TOKENS": "5000"}, Path("missing")).limits
    assert limits.tokens == 5000
    assert limits.model_calls == Settings().limits.model_calls


def test_every_setting_is_in_the_example_and_nothing_else_is() -> None:
    names = [
        line.lstrip("#").partition("=")[0] for line in EXAMPLE.read_text("utf-8").splitlines() if "=" in line
    ]
    documented = [name for name in names if name.isupper() and " " not in name]
    assert sorted(documented) == sorted(name.upper() for name in Settings.model_fields)


def test_the_readme_has_every_setting_and_every_command() -> None:
    readme = README.read_text("utf-8")
    settings = [f"`{name.upper()}`" for name in Settings.model_fields]
    commands = [f"`/{spec.name}" for spec in MENU]
    assert [word for word in (*settings, *commands) if word not in readme] == []


def test_policies_are_given_to_chats_and_skills(tmp_path: Path) -> None:
    rules = "chat:telegram/-100123=team  skill:javascript=node"
    settings = read_settings({"DECKHAND_POLICY_RULES": rules}, tmp_path / ".env")
    assert settings.deckhand_policy_rules.chats == {"telegram/-100123": "team"}
    assert settings.deckhand_policy_rules.skills == {"javascript": "node"}


@pytest.mark.parametrize(
    "rule",
    [
        "team",
        "chat:x",
        "user:1=team",
        "chat:a=../x",
        "chat:=team",
        "skill:a=b=c",
        "chat:Telegram/-1=team",
        "skill:a=b skill:a=c",
    ],
)
def test_what_is_no_rule_for_a_policy_is_refused(rule: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"DECKHAND_POLICY_RULES": rule}, tmp_path / ".env")
    assert caught.value.facts["name"] == "DECKHAND_POLICY_RULES"
    assert re.search("is no rule|has two rules", str(caught.value.facts["reason"]))
