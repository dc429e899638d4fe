"""From a Build to an Evaluation: the sampler, the statistics, the worker process.

Nothing here may import torch at module level: the worker measures with one runtime and numpy.
"""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "accelerator": "DeviceObservation LoadWatch observe",
        "after_timing": "PairedRatio Recheck product_rate recheck",
        "credibility": "doubts",
        "flags": (
            "LIMITS about_folding disturbance_of disturbances find_flags grade_of load_flags "
            "margin_of"
        ),
        "fresh_inputs": "FreshInputs unseen varied_inputs",
        "generation": "generations mean_over with_token_times",
        "interference": (
            "ALIKE Distance Interference LONGEST_PAUSE are_apart bring_together extremes "
            "may_move pass_a_token_around"
        ),
        "load.generator": "LaneServer closed_loop open_loop poisson_arrivals",
        "load.trace": "Answer is_overloaded memory_of percentile_interval summary_of",
        "load.under_load": "Extent LoadPoint extent_of find_rate measure_under_load",
        "memory": "memory_speed",
        "meter": "Meter NOT_SEEN ReportedMeter Samples SessionMeter Slice WarmUp",
        "metric": "METRIC MetricRequest",
        "noise": "noise_floor",
        "race": (
            "Elimination LEAST_ADVANTAGE PerCopy RoundReferee is_clearly_slower judge may_win "
            "speedup"
        ),
        "ratios": (
            "Distribution GeometricMean Guess Ratio SpeedVerdict draws_from_interval "
            "draws_from_samples guess_from_interval guess_from_samples ratio_generator "
            "ratio_of verdict_on"
        ),
        "record": (
            "ProcessResult evaluation_of failed load_distances load_samples "
            "load_samples_and_distances save_evaluation"
        ),
        "remote": "Store",
        "sampler": (
            "LEAST_ROUNDS PAUSING RECOVERY_SECONDS SamplingProgress WARMING sample settling_seconds"
        ),
        "session": "MachineFacts OpenSession SessionInfo open_session",
        "spawn": "Worker",
        "statistics": "Interval SAMPLES_NEEDED median_interval percentile student",
        "stopping": "DEFAULT_RULE QUICK_RULE RIGOROUS_RULE Rule is_moving relative_half_width",
        "worker": "Hello WorkerRequest claim_streams serve",
    },
)
