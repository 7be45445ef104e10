"""The only reader of the environment and of `.env`. A field's name in capitals is its variable."""

import difflib
import os
import re
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from dotenv import dotenv_values
from pydantic import BaseModel, BeforeValidator, Field, SecretStr, ValidationError

from agent.budget import Limits
from agent.rules import PolicyRules
from bot.addresses import host_of_metadata
from bot.errors import SettingsError
from bot.texts import Language

OURS = "DECKHAND_"
"""Variables with this prefix are ours alone, so an unknown one is a mistake."""

_PROXY = re.compile(r"https?://\S+", re.IGNORECASE)
_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY")
"""Variables of others that the HTTP client obeys while we have no proxy of our own."""
_RULE = re.compile(
    r"(?P<kind>chat|skill):(?P<what>(?<=chat:)[a-z]+/[^\s=]+|(?<=skill:)[^\s=/]+)=(?P<policy>[a-z0-9-]+)"
)
_PASSWORD = re.compile(r"://[^/@:]*:([^@/]+)@")


class Prices(BaseModel, frozen=True, extra="forbid"):
    """Money per million tokens, in whatever currency the person thinks in."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    """Of input tokens that the provider took from its prompt cache; None when they cost as much as others."""

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        cached = self.input if self.cached is None else self.cached
        fresh = (input_tokens - cached_tokens) * self.input
        return (fresh + cached_tokens * cached + output_tokens * self.output) / 1_000_000


def _parse_prices(value: object) -> object:
    """`0.5/2.0`, `0.5/2.0/0.05` (input, output, cached), or the same as a JSON object."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        return Prices.model_validate_json(value)
    parts = value.split("/")
    if not 2 <= len(parts) <= 3:
        detail = "expected input/output or input/output/cached, as in 0.5/2.0/0.05"
        raise ValueError(detail)
    return dict(zip(("input", "output", "cached"), parts, strict=False))


def _parse_rules(value: object) -> object:
    """`chat:telegram/-100123=team skill:javascript=node`, separated by spaces."""
    if not isinstance(value, str):
        return value
    found: dict[str, dict[str, str]] = {"chat": {}, "skill": {}}
    for rule in value.split():
        match = _RULE.fullmatch(rule)
        if match is None:
            detail = f"{rule!r} is no rule; expected chat:PLATFORM/CHAT=POLICY or skill:SKILL=POLICY"
            raise ValueError(detail)
        if match["what"] in found[match["kind"]]:
            detail = f"{match['kind']}:{match['what']} has two rules"
            raise ValueError(detail)
        found[match["kind"]][match["what"]] = match["policy"]
    return PolicyRules(chats=found["chat"], skills=found["skill"])


def _parse_names(value: object) -> object:
    return value.replace(",", " ").split() if isinstance(value, str) else value


class Settings(BaseModel, frozen=True, extra="forbid", hide_input_in_errors=True):
    """A plain value: only `read_settings` looks outside, so a test's settings hold nothing of the machine."""

    llm_base_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    """An OpenAI-compatible endpoint. With neither this nor a key, the offline recipes do the work."""
    llm_api_key: SecretStr | None = None
    llm_model: str | None = None
    llm_subagent_model: str | None = None
    llm_prices: Annotated[Prices | None, BeforeValidator(_parse_prices)] = None
    llm_stream: bool = False
    """For gateways that close a connection on which nothing moves for a while."""
    llm_sees_images: bool = False
    """The subagents' model takes pictures, so a fresh reviewer looks at the rendered slides."""

    send_sample_rows: bool = True
    """False keeps values of cells out of the profile and of what models may read of the person's files."""

    skills_dir: Path | None = None
    """A team's own skills, beside the ones that ship."""
    deckhand_skills: Annotated[tuple[str, ...], BeforeValidator(_parse_names)] = ()
    """Optional skills of ours to have, with commas between; their packages need `deckhand sandbox build`."""
    sandbox_policy: Path | None = None
    """A YAML policy instead of the default one."""
    sandbox_policies: Path | None = None
    """A folder of further policies; each goes by the name in its file."""
    sandbox_url: str | None = Field(default=None, pattern=r"^(unix:///|https?://[^/@\s]+|e2b:)[^@?#\s]*$")
    """A sandbox service, so that this process needs no Docker: the policies are then those of the service. Or
    `e2b:TEMPLATE` for a machine of E2B's."""
    sandbox_token: SecretStr | None = None
    """What its clients show, and what `deckhand sandbox serve` asks for."""
    e2b_api_key: SecretStr | None = None
    database_url: str | None = None
    artifacts_url: str | None = None

    telegram_bot_token: SecretStr | None = None
    """From @BotFather. With it, `deckhand run` serves Telegram."""
    telegram_api_url: str | None = Field(default=None, pattern=r"^https?://[^\s/@?#]+(:\d+)?/?$")
    """A Bot API server of one's own."""
    telegram_api_local: bool = False
    """That server runs with --local, so it takes larger files, and shares its folder with us."""
    telegram_webhook_url: str | None = Field(default=None, pattern=r"^https://\S+$")
    """The public address that Telegram shall call; without it we ask Telegram. Needs `deckhand_http`."""

    deckhand_http: str | None = Field(default=None, pattern=r"^([\w.-]+|\[[0-9a-f:]+\]):\d{1,5}$")
    """HOST:PORT of our own HTTP server: health, metrics, webhook. None without one."""
    deckhand_people_runs_a_day: int = Field(default=50, ge=1)
    """Of one person; admins have no such limits."""
    deckhand_people_tokens_a_day: int = Field(default=5_000_000, ge=1)
    deckhand_people_runs_at_once: int = Field(default=3, ge=1)
    """Of one person, at work or waiting."""
    deckhand_chat_queue: int = Field(default=5, ge=1)
    """Requests of one conversation that wait."""
    deckhand_question_minutes: float = Field(default=3.0, gt=0, le=60)
    """How long a run waits for the answer to its question before it goes on with its assumption."""
    deckhand_keep_days: int | None = Field(default=None, ge=1)
    """After so many days a run's files, traces and texts are deleted; None keeps them."""

    deckhand_data: Path = Path("data")
    """Runs, database, artifacts and log, relative to the current directory."""
    deckhand_language: Language = Language.ENGLISH
    """For a request that does not tell its language, and for messages before there is a request."""
    deckhand_max_model_calls: int | None = Field(default=None, ge=1)
    deckhand_max_tokens: int | None = Field(default=None, ge=1)
    deckhand_max_seconds: float | None = Field(default=None, gt=0)
    deckhand_max_sandbox_seconds: float | None = Field(default=None, gt=0)
    deckhand_max_rerun_seconds: float | None = Field(default=None, ge=0)
    """Scripts that took longer are not run once more from clean; 0: none is."""
    deckhand_max_upload_mb: int = Field(default=100, ge=1, le=2_000)
    """Of one file, in MiB."""
    deckhand_max_input_mb: int = Field(default=300, ge=1, le=20_000)
    """Of all files of a run, in MiB: those of earlier messages come along as far as there is room."""
    deckhand_policy_rules: Annotated[PolicyRules, BeforeValidator(_parse_rules)] = PolicyRules()
    """Which chat and which skill has which of the policies."""
    deckhand_runs_at_once: int = Field(default=2, ge=1, le=64)
    """On this machine, over all conversations."""
    deckhand_ca_file: Path | None = None
    """PEM certificates to trust besides the usual ones, for model and chat endpoints."""
    deckhand_proxy: str | None = None
    """An http:// or https:// address, for model and chat endpoints."""
    deckhand_log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @property
    def limits(self) -> Limits:
        chosen = {
            "model_calls": self.deckhand_max_model_calls,
            "tokens": self.deckhand_max_tokens,
            "seconds": self.deckhand_max_seconds,
            "sandbox_seconds": self.deckhand_max_sandbox_seconds,
            "rerun_seconds": self.deckhand_max_rerun_seconds,
        }
        return Limits.model_validate({name: value for name, value in chosen.items() if value is not None})

    @property
    def data(self) -> Path:
        return self.deckhand_data.expanduser().resolve()

    @property
    def database(self) -> str:
        return self.database_url or str(self.data / "deckhand.db")

    @property
    def artifacts(self) -> str:
        return self.artifacts_url or (self.data / "artifacts").as_uri()

    @property
    def upload_bytes(self) -> int:
        return self.deckhand_max_upload_mb * 1024 * 1024

    @property
    def input_bytes(self) -> int:
        return self.deckhand_max_input_mb * 1024 * 1024

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never stand in a log."""
        keys = (self.llm_api_key, self.sandbox_token, self.e2b_api_key, self.telegram_bot_token)
        urls = (self.llm_base_url, self.database_url, self.artifacts_url, self.deckhand_proxy)
        passwords = [password for url in urls if url for password in _PASSWORD.findall(url)]
        return tuple(
            secret for secret in (*(key.get_secret_value() for key in keys if key), *passwords) if secret
        )


def read_settings(environment: Mapping[str, str] | None = None, env_file: Path = Path(".env")) -> Settings:
    """Raises:
    SettingsError: a DECKHAND_ variable is unknown, a value is not what its field takes, the proxy is one
        that we cannot speak to, the model's address is a cloud's own, or the certificates cannot be read.
    """
    given = os.environ if environment is None else environment
    try:
        stored = dotenv_values(env_file, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        key = "settings-unreadable"
        raise SettingsError(key, file=str(env_file), reason=type(fault).__name__) from fault
    values = {name.upper(): value for name, value in {**stored, **given}.items() if value}
    _refuse_unknown(values)
    known = {name: values[name.upper()] for name in Settings.model_fields if name.upper() in values}
    try:
        settings = Settings.model_validate(known)
    except ValidationError as fault:
        first = fault.errors(include_input=False, include_url=False, include_context=False)[0]
        key = "settings-invalid"
        raise SettingsError(key, name=str(first["loc"][0]).upper(), reason=first["msg"]) from None
    _check_model_address(settings)
    _check_proxies(settings, given)
    _check_certificates(settings)
    return settings


def _refuse_unknown(values: Mapping[str, str]) -> None:
    known = [name.upper() for name in Settings.model_fields]
    for name in sorted(values):
        if name.startswith(OURS) and name not in known:
            ours = [other.removeprefix(OURS) for other in known if other.startswith(OURS)]
            near = difflib.get_close_matches(name.removeprefix(OURS), ours, n=1)
            if near:
                key = "settings-misspelt"
                raise SettingsError(key, name=name, nearest=f"{OURS}{near[0]}")
            key = "settings-unknown"
            raise SettingsError(key, name=name)


def _check_model_address(settings: Settings) -> None:
    name = "LLM_BASE_URL"
    try:
        host = host_of_metadata(settings.llm_base_url or "")
    except ValueError as fault:
        key = "settings-invalid"
        raise SettingsError(key, name=name, reason=str(fault)) from None
    if host is not None:
        key = "settings-model-address"
        raise SettingsError(key, name=name, host=host)


def _check_proxies(settings: Settings, environment: Mapping[str, str]) -> None:
    """The HTTP client knows no SOCKS, and would say so in the middle of the first run."""
    named: dict[str, str] = {}
    if settings.deckhand_proxy is not None:
        named["DECKHAND_PROXY"] = settings.deckhand_proxy
    elif settings.llm_base_url or settings.llm_api_key:
        named = {
            name: value for name, value in environment.items() if name.upper() in _PROXIES and "://" in value
        }
    for name, value in named.items():
        if not _PROXY.fullmatch(value):
            key = "settings-proxy"
            raise SettingsError(key, name=name)


def _check_certificates(settings: Settings) -> None:
    file = settings.deckhand_ca_file
    if file is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except ssl.SSLError as fault:
        key = "settings-certificates-bad"
        raise SettingsError(key, name="DECKHAND_CA_FILE", file=str(file)) from fault
    except OSError as fault:
        key = "settings-certificates-unreadable"
        reason = fault.strerror or type(fault).__name__
        raise SettingsError(key, name="DECKHAND_CA_FILE", file=str(file), reason=reason) from fault
