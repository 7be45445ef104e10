from tests.bench.sandbox.approach import Failed
from tests.bench.sandbox.load import Load, load_table, load_targets, measure
from tests.bench.sandbox.workloads import Kind


class Fake:
    """A session that tells how many others were open beside it."""

    name = "fake"
    without: tuple[str, ...] = ()

    def __init__(self, open_ones: set["Fake"], *, broken: bool = False) -> None:
        self.open_ones = open_ones
        self.broken = broken
        self.beside = 0

    async def prepare(self) -> None:
        self.open_ones.add(self)

    async def lease(self) -> float:
        return 0.5

    async def run(self, kind: Kind) -> float:
        if self.broken and kind is Kind.DECK:
            message = "no deck"
            raise Failed(message)
        self.beside = len(self.open_ones)
        return 0.25

    async def close(self) -> None:
        self.open_ones.discard(self)


async def test_all_sessions_stay_open_until_the_last_script_has_ended() -> None:
    open_ones: set[Fake] = set()
    sessions = [Fake(open_ones) for _ in range(3)]
    load = await measure("fake", sessions, available=0)
    assert [session.beside for session in sessions] == [3, 3, 3]
    assert not open_ones
    assert (load.waits, load.runs, load.failures) == ([0.5] * 3, [0.25] * 15, [])


async def test_a_failed_session_is_told_and_the_others_go_on() -> None:
    open_ones: set[Fake] = set()
    load = await measure("fake", [Fake(open_ones, broken=True), Fake(open_ones)], available=0)
    assert load.failures == ["no deck"]
    assert len(load.runs) == 3 + 5


def loaded(approach: str, sessions: int, rate: float, memory: int = 0) -> Load:
    return Load(approach, sessions, seconds=10 / rate, waits=[0.1], runs=[0.5] * 10, memory=memory)


def test_targets_compare_scripts_per_second_and_memory() -> None:
    loads = [
        loaded("ours-warm", 8, 10.0, memory=4 << 30),
        loaded("ours-warm", 100, 9.5, memory=50 << 30),
        loaded("exec", 8, 2.0),
        loaded("llm-sandbox", 8, 3.0),
    ]
    targets = load_targets({(load.approach, load.sessions): load for load in loads}, 1 << 30)
    missed = {target.promise: target.measured for target in targets if not target.met}
    assert list(missed) == ["scripts per second, ours over llm-sandbox, 8"]
    assert round(missed.popitem()[1] or 0, 2) == 3.33


def test_a_target_without_its_figures_is_open() -> None:
    alone = loaded("ours-warm", 8, 10.0)
    missing = [
        target for target in load_targets({("ours-warm", 8): alone}, 1 << 30) if target.measured is None
    ]
    assert len(missing) == 3


def test_the_table_has_a_line_for_a_load_without_a_finished_script() -> None:
    table = load_table([Load("ours-warm", 8, failures=["gone"])])
    assert table.splitlines()[-1] == "| ours-warm | 8 | 1 | 0.00 | – | – | – | – | 0 |"
