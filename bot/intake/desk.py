"""What the intake is put together of."""

import time

from bot.asking import Asking
from bot.buttons import Buttons
from bot.commands import Commands
from bot.gateway import Gateway
from bot.greeting import Greeter
from bot.intake.admission import Admission
from bot.intake.assembly import Patience
from bot.intake.door import Door, Guard
from bot.intake.edits import Edits
from bot.intake.intake import Intake
from bot.intake.places import Places
from bot.intake.presses import Presses
from bot.intake.requests import Requests
from bot.intake.strays import Strays
from bot.stores import Store
from bot.tasks import Tasks
from bot.timing import Timing


def intake_of(
    *,
    store: Store,
    gateway: Gateway,
    commands: Commands,
    asking: Asking,
    buttons: Buttons,
    guard: Guard,
    greeter: Greeter,
    patience: Patience,
    timing: Timing,
) -> Intake:
    """Its parts come from `app`, and what only it needs is made here."""
    clock, tasks = time.monotonic, Tasks()
    adapters, dispatcher = gateway.adapters, gateway.dispatcher
    places = Places(dispatcher, adapters, buttons, tasks)
    return Intake(
        inbox=store.inbox,
        door=Door(guard, greeter, adapters, tasks, clock=clock, fallback=gateway.fallback),
        guard=guard,
        requests=Requests(
            admission=Admission(
                inbox=store.inbox,
                gateway=gateway,
                places=places,
                buttons=buttons,
                adapters=adapters,
                sleep=timing.sleep,
            ),
            tasks=tasks,
            clock=clock,
            patience=patience,
        ),
        commands=commands,
        presses=Presses(
            buttons=buttons,
            runs=store.runs,
            conversations=store.conversations,
            dispatcher=dispatcher,
            gateway=gateway,
            asking=asking,
            places=places,
            commands=commands,
            access=guard,
            adapters=adapters,
            fallback=gateway.fallback,
        ),
        edits=Edits(
            inbox=store.inbox,
            runs=store.runs,
            dispatcher=dispatcher,
            places=places,
            adapters=adapters,
            clock=clock,
        ),
        asking=asking,
        places=places,
        strays=Strays(clock, patience.most),
        dispatcher=dispatcher,
        conversations=store.conversations,
        adapters=adapters,
        tasks=tasks,
        clock=clock,
    )
