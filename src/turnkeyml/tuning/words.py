"""The result of a tuning in sentences."""

from __future__ import annotations

import math

from turnkeyml.nouns import Trial, TrialStatus, TuneResult

WORTH_A_HINT = 1.05
"""Times as fast as the winner, for what only a tolerance would accept."""
WORTH_A_RETRY = 1.1
"""Times as fast as the default, from which on a final that does not tell is not the last word."""


def verdict_of(result: TuneResult) -> str:
    """Who wins, by how much, and what is still open."""
    return " ".join([_winner(result), *_open(result)])


def _winner(result: TuneResult) -> str:
    if result.winner is None:
        return f"Nothing that was tried is right ({result.right})."
    if result.winner == result.default:
        return _default(result)
    sentence = f"{result.winner.label} is the fastest that is right"
    if result.speedup is None:
        return f"{sentence}."
    gain = f"{result.speedup:.3g} times as fast as the default, {result.default.label}"
    if result.speedup_low and result.speedup_high:
        gain += f" (95% interval {result.speedup_low:.3g} to {result.speedup_high:.3g})"
    return f"{sentence}: {gain}."


def _default(result: TuneResult) -> str:
    """Why the default wins: nothing is faster, or nothing is so for sure."""
    right = [t for t in result.trials if t.status is TrialStatus.OPEN and t.relative_time]
    best = min(right, key=lambda t: t.relative_time or math.inf, default=None)
    if best is None or (best.relative_time or 1.0) > 1 / WORTH_A_RETRY:
        return f"Nothing that is right is faster than the default, {result.default.label}."
    assert best.relative_time is not None
    return (
        f"The default, {result.default.label}, stays, because nothing is faster for sure: "
        f"{best.configuration.label} was {1 / best.relative_time:.3g} times as fast in the final, "
        "which was too short or too noisy; run the same command again with a longer --budget, or "
        "on a quieter machine."
    )


def _open(result: TuneResult) -> list[str]:
    sentences = []
    alike = [t.configuration.label for t in result.trials if t.status is TrialStatus.OPEN]
    if alike:
        sentences.append(f"Not told apart from it: {'; '.join(alike)}.")
    if not result.is_complete:
        left = sum(t.status is TrialStatus.UNTRIED for t in result.trials)
        sentences.append(
            f"The budget ended: {left} configuration{'s' * (left != 1)} and what may follow were "
            "not tried; run the same command again to go on."
        )
    return sentences


def hints_for(result: TuneResult) -> tuple[str, ...]:
    """What would be faster if it counted as right."""
    winner = result.trial(result.winner)
    limit = (winner.relative_time or 1.0) if winner else math.inf
    timed = [t for t in result.trials if t.status is TrialStatus.WRONG and t.relative_time]
    fastest = min(timed, key=lambda t: t.relative_time or 0.0, default=None)
    if fastest is None or fastest.errors is None or fastest.relative_time is None:
        return ()
    if fastest.configuration == result.default or limit < WORTH_A_HINT * fastest.relative_time:
        return ()
    return (_hint(fastest, limit),)


def _hint(trial: Trial, limit: float) -> str:
    assert trial.errors is not None
    assert trial.relative_time is not None
    gain = f"{limit / trial.relative_time:.3g} times as fast as the winner"
    gain = gain if math.isfinite(limit) else "faster"
    decibels = math.floor(trial.errors.sqnr)
    return (
        f"{trial.configuration.label} would be {gain}, with errors of {trial.errors.relative:.2g} "
        f"of the largest output and a cosine of {trial.errors.cosine:.6f}; "
        f"--tolerance sqnr>={decibels}dB would accept it."
    )
