"""The nouns of the domain as typed records, and their conversion to and from plain dicts.

Processes exchange these records, and the cache stores them.
"""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "contestants": "ContestantKey HERE Place answers_to label_of point_of",
        "evaluations": (
            "Conditions Evaluation EvaluationStatus Generation Grade LATENCY_UNITS "
            "MeasuredPerformance Performance RaceResult RaceRow StopReason THROUGHPUT_UNITS"
        ),
        "events": (
            "ArtifactChanged BuildReused Event InputFinished InvocationFinished "
            "InvocationFound InvocationStarted MeasureEstimated MeasureProgress "
            "MeasureStarted Reader ScriptFinished ScriptStarted Sink StageFinished "
            "StageStarted TurnAwaited TurnReturned TurnTaken WaitEnded Waiting"
        ),
        "explanations": "Alternative Bound Explanation Finding Operator Part Peaks",
        "flags": "Aspect Disturbance Flag FlagKind OTHER_SHARE TRAITS Traits margins",
        "invocations": (
            "BuildStatus InputResult InvocationRecord InvocationResult Phase ScriptOutcome "
            "StageRecord Steps WAITING"
        ),
        "loads": (
            "LoadPlan Objective PERCENTILES Probe UnderLoad concurrency_pattern rate_pattern "
            "slo_pattern"
        ),
        "plain": "DEEPEST DamagedRecord LARGEST Word check_plain from_dict to_dict",
        "profiles": "LAYER OperatorTime Profile Span TensorShape",
        "system": "DeviceInfo GpuInfo NoiseFloor PluginInfo RuntimeInfo SystemInfo",
        "tasks": (
            "CachedBuild Forecast Input LastTime Plan SequenceSource Task TaskForecast "
            "split_hashes split_pair"
        ),
        "tuning": "BRIEF Configuration OutputErrors TUNED Trial TrialStatus TuneResult",
        "verdicts": (
            "Cause OperationCount OutputOperator ReferenceRecord Verdict Verification "
            "in_words is_recorded_only"
        ),
    },
)
