"""A soak is judged by its figures: memory that grows, slow answers and queues that run full are told."""

from benchmarks.soak.run import SoakResult, SoakSample


def soaked(memory: list[int], waiting: list[int], answers: list[float]) -> SoakResult:
    samples = [
        SoakSample(10.0 * place, {"worker": size}, {"text": count})
        for place, (size, count) in enumerate(zip(memory, waiting, strict=True))
    ]
    return SoakResult(samples, answers)


def test_a_house_that_settles_and_keeps_up_has_no_faults() -> None:
    rising = [*range(50, 100, 10), *[100] * 55]
    assert soaked(rising, [0, 400, *[3] * 58], [50.0] * 1000).faults == []


def test_memory_that_goes_on_growing_is_told() -> None:
    [told] = soaked([100 + place for place in range(60)], [0] * 60, [50.0] * 100).faults
    assert told.startswith("worker grew by")


def test_slow_answers_are_told_if_they_are_more_than_one_in_a_hundred() -> None:
    assert soaked([100] * 60, [0] * 60, [50.0] * 995 + [900.0] * 5).faults == []
    [told] = soaked([100] * 60, [0] * 60, [50.0] * 950 + [900.0] * 50).faults
    assert "p99 of the dashboard is 900 ms" in told


def test_a_queue_that_grows_without_end_is_told() -> None:
    [told] = soaked([100] * 60, [10 * place for place in range(60)], [50.0] * 100).faults
    assert told == "the queue text grows: 0 waited at first, 500 at last"
