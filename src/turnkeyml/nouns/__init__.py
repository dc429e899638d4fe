"""The nouns of the domain as typed records, and their conversion to and from plain dicts.

Processes exchange these records, and the cache stores them.
"""

from turnkeyml.nouns.contestants import ContestantKey
from turnkeyml.nouns.evaluations import (
    LATENCY_UNITS,
    THROUGHPUT_UNITS,
    Conditions,
    Evaluation,
    EvaluationStatus,
    Generation,
    Grade,
    MeasuredPerformance,
    Performance,
    RaceResult,
    RaceRow,
)
from turnkeyml.nouns.flags import (
    OTHER_SHARE,
    Aspect,
    Disturbance,
    Flag,
    FlagKind,
    Traits,
    margins,
)
from turnkeyml.nouns.invocations import (
    WAITING,
    BuildStatus,
    InputResult,
    InvocationRecord,
    InvocationResult,
    Phase,
    ScriptOutcome,
    StageRecord,
    Steps,
)
from turnkeyml.nouns.loads import PERCENTILES, LoadPlan, Objective, Probe, UnderLoad
from turnkeyml.nouns.places import HERE, Place, answers_to, label_of
from turnkeyml.nouns.plain import DamagedRecord, Word, check_plain, from_dict, to_dict
from turnkeyml.nouns.tasks import Input, Plan, SequenceSource, Task
from turnkeyml.nouns.verdicts import (
    Cause,
    OperationCount,
    ReferenceRecord,
    Verdict,
    Verification,
    in_words,
    is_recorded_only,
)

__all__ = [
    "HERE",
    "LATENCY_UNITS",
    "OTHER_SHARE",
    "PERCENTILES",
    "THROUGHPUT_UNITS",
    "WAITING",
    "Aspect",
    "BuildStatus",
    "Cause",
    "Conditions",
    "ContestantKey",
    "DamagedRecord",
    "Disturbance",
    "Evaluation",
    "EvaluationStatus",
    "Flag",
    "FlagKind",
    "Generation",
    "Grade",
    "Input",
    "InputResult",
    "InvocationRecord",
    "InvocationResult",
    "LoadPlan",
    "MeasuredPerformance",
    "Objective",
    "OperationCount",
    "Performance",
    "Phase",
    "Place",
    "Plan",
    "Probe",
    "RaceResult",
    "RaceRow",
    "ReferenceRecord",
    "ScriptOutcome",
    "SequenceSource",
    "StageRecord",
    "Steps",
    "Task",
    "Traits",
    "UnderLoad",
    "Verdict",
    "Verification",
    "Word",
    "answers_to",
    "check_plain",
    "from_dict",
    "in_words",
    "is_recorded_only",
    "label_of",
    "margins",
    "to_dict",
]
