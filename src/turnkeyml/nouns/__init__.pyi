# Written by .ci/doors from the table in __init__.py.
from turnkeyml.nouns.contestants import (
    ContestantKey as ContestantKey, HERE as HERE, Place as Place, answers_to as answers_to,
    label_of as label_of, point_of as point_of,
)
from turnkeyml.nouns.evaluations import (
    Conditions as Conditions, Evaluation as Evaluation, EvaluationStatus as EvaluationStatus,
    Generation as Generation, Grade as Grade, LATENCY_UNITS as LATENCY_UNITS, MeasuredPerformance
    as MeasuredPerformance, Performance as Performance, RaceResult as RaceResult, RaceRow as
    RaceRow, StopReason as StopReason, THROUGHPUT_UNITS as THROUGHPUT_UNITS,
)
from turnkeyml.nouns.events import (
    ArtifactChanged as ArtifactChanged, BuildReused as BuildReused, Event as Event, InputFinished
    as InputFinished, InvocationFinished as InvocationFinished, InvocationFound as InvocationFound,
    InvocationStarted as InvocationStarted, MeasureEstimated as MeasureEstimated, MeasureProgress
    as MeasureProgress, MeasureStarted as MeasureStarted, Reader as Reader, ScriptFinished as
    ScriptFinished, ScriptStarted as ScriptStarted, Sink as Sink, StageFinished as StageFinished,
    StageStarted as StageStarted, TurnAwaited as TurnAwaited, TurnReturned as TurnReturned,
    TurnTaken as TurnTaken, WaitEnded as WaitEnded, Waiting as Waiting,
)
from turnkeyml.nouns.explanations import (
    Alternative as Alternative, Bound as Bound, Explanation as Explanation, Finding as Finding,
    Operator as Operator, Part as Part, Peaks as Peaks,
)
from turnkeyml.nouns.flags import (
    Aspect as Aspect, Disturbance as Disturbance, Flag as Flag, FlagKind as FlagKind, OTHER_SHARE
    as OTHER_SHARE, TRAITS as TRAITS, Traits as Traits, margins as margins,
)
from turnkeyml.nouns.invocations import (
    BuildStatus as BuildStatus, InputResult as InputResult, InvocationRecord as InvocationRecord,
    InvocationResult as InvocationResult, Phase as Phase, ScriptOutcome as ScriptOutcome,
    StageRecord as StageRecord, Steps as Steps, WAITING as WAITING,
)
from turnkeyml.nouns.loads import (
    LoadPlan as LoadPlan, Objective as Objective, PERCENTILES as PERCENTILES, Probe as Probe,
    UnderLoad as UnderLoad, concurrency_pattern as concurrency_pattern, rate_pattern as
    rate_pattern, slo_pattern as slo_pattern,
)
from turnkeyml.nouns.plain import (
    DEEPEST as DEEPEST, DamagedRecord as DamagedRecord, LARGEST as LARGEST, Word as Word,
    check_plain as check_plain, from_dict as from_dict, to_dict as to_dict,
)
from turnkeyml.nouns.profiles import (
    LAYER as LAYER, OperatorTime as OperatorTime, Profile as Profile, Span as Span, TensorShape as
    TensorShape,
)
from turnkeyml.nouns.system import (
    DeviceInfo as DeviceInfo, GpuInfo as GpuInfo, NoiseFloor as NoiseFloor, PluginInfo as
    PluginInfo, RuntimeInfo as RuntimeInfo, SystemInfo as SystemInfo,
)
from turnkeyml.nouns.tasks import (
    CachedBuild as CachedBuild, Forecast as Forecast, Input as Input, LastTime as LastTime, Plan as
    Plan, SequenceSource as SequenceSource, Task as Task, TaskForecast as TaskForecast,
    split_hashes as split_hashes, split_pair as split_pair,
)
from turnkeyml.nouns.tuning import (
    BRIEF as BRIEF, Configuration as Configuration, OutputErrors as OutputErrors, TUNED as TUNED,
    Trial as Trial, TrialStatus as TrialStatus, TuneResult as TuneResult,
)
from turnkeyml.nouns.verdicts import (
    Cause as Cause, OperationCount as OperationCount, OutputOperator as OutputOperator,
    ReferenceRecord as ReferenceRecord, Verdict as Verdict, Verification as Verification, in_words
    as in_words, is_recorded_only as is_recorded_only,
)
