"""Four processes on one store at once, with and without one of them being killed."""

from __future__ import annotations

import os
import random
import time

from .stage import Child, Figure, scaled, stage

PROCESSES = 4


def figures() -> list[Figure]:
    rng = random.Random(3)
    rounds, with_kill = scaled(20, 2), scaled(10, 1)
    twice = wrong = errors = excess = killed = 0
    with stage(folds=10, repeats=2, seconds=0.005) as case:
        reference = case.reference()
        for i in range(rounds + with_kill):
            case.clear()
            ready, start = os.pipe()

            def work(ready: int = ready, start: int = start) -> str:
                os.close(start)
                os.read(ready, 1)  # all begin at the same moment, also with making the store
                return case.run()

            children = [Child(work, case.folder) for _ in range(PROCESSES)]
            os.close(ready)
            os.close(start)
            unlucky = None
            if i >= rounds:
                time.sleep(rng.uniform(0.01, 0.15))
                unlucky = rng.choice(children)
                unlucky.kill()
                killed += 1
            for child in children:
                if child is unlucky:
                    continue
                child.wait()
                try:
                    wrong += child.said() != reference
                except AssertionError as error:
                    errors += 1
                    print(error)
            if unlucky is None:
                twice += case.fits - case.tasks
            else:
                excess += case.fits > case.tasks + 1
    part = f"{PROCESSES} processes, one store"
    return [
        Figure(part, "rounds", f"{rounds}, and {killed} more in which one was killed", "", True),
        Figure(part, "folds fitted twice", f"{twice}", "0", twice == 0),
        Figure(part, "rounds with a kill in which more than its fold was fitted again", f"{excess}", "0", excess == 0),
        Figure(part, "results that differ by a byte", f"{wrong}", "0", wrong == 0),
        Figure(part, "errors, of locks or others", f"{errors}", "0", errors == 0),
    ]
