"""Work in parts: what parts are, their random numbers, and threads that share them."""

from __future__ import annotations

import os
import signal
import time
from threading import Barrier, Thread, current_thread

import numpy as np
import pytest

from dawnchorus.common.workers.parts import even_parts, in_threads, new_key, stream


def test_parts_are_about_even_and_have_everything_once():
    sizes = np.random.default_rng(1).integers(0, 9, 200)
    starts = even_parts(sizes, 40)
    assert starts[0] == 0
    assert starts[-1] == 200
    of_parts = np.add.reduceat(sizes, starts[:-1])
    assert of_parts.sum() == sizes.sum()
    assert of_parts[:-1].min() > 30
    assert of_parts.max() < 50
    assert even_parts(np.array([100, 0, 100]), 40).tolist() == [0, 1, 3]
    assert even_parts(np.zeros(3, int), 40).tolist() == [0, 3]


def test_parts_have_random_numbers_of_their_own():
    rng = np.random.default_rng(1)
    keys = new_key(rng), new_key(rng)
    drawn = {float(stream(key, part).random()) for key in keys for part in range(5)}
    assert len(drawn) == 10
    assert stream(keys[0], 3).random() == stream(keys[0], 3).random()


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_threads_answer_in_order(threads):
    assert in_threads(lambda part: part, 20, threads) == list(range(20))


def test_threads_that_share_work_are_started_once_and_do_not_outlive_who_asked():
    ways = Barrier(3), set()

    def work(part):
        ways[0].wait(10)  # all three have to be at it
        ways[1].add(current_thread())

    def ask():
        for _ in range(5):
            in_threads(work, 3, 3)

    asking = Thread(target=ask)
    asking.start()
    asking.join()
    assert len(ways[1]) == 3
    deadline = time.monotonic() + 10
    while any(thread.is_alive() for thread in ways[1]) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(thread.is_alive() for thread in ways[1])


@pytest.mark.parametrize("threads", [1, 4])
def test_an_error_in_a_part_ends_the_work_and_the_next_goes_on(threads):
    done = []

    def work(part):
        if part == 5:
            raise ValueError("part 5")
        done.append(part)
        time.sleep(0.002)

    with pytest.raises(ValueError, match="part 5"):
        in_threads(work, 200, threads)
    assert len(done) < 100
    assert in_threads(lambda part: -part, 3, threads) == [0, -1, -2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_shares_work_too():
    in_threads(abs, 4, 2)
    child = os.fork()
    if not child:
        os._exit(in_threads(abs, 4, 2) != [0, 1, 2, 3])
    for _ in range(1000):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.01)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended
    assert status == 0
