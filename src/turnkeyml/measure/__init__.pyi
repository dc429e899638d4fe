# Written by .ci/doors from the table in __init__.py.
from turnkeyml.measure.accelerator import (
    DeviceObservation as DeviceObservation, LoadWatch as LoadWatch, observe as observe,
)
from turnkeyml.measure.after_timing import (
    PairedRatio as PairedRatio, Recheck as Recheck, product_rate as product_rate, recheck as
    recheck,
)
from turnkeyml.measure.credibility import doubts as doubts
from turnkeyml.measure.flags import (
    LIMITS as LIMITS, about_folding as about_folding, disturbance_of as disturbance_of,
    disturbances as disturbances, find_flags as find_flags, grade_of as grade_of, load_flags as
    load_flags, margin_of as margin_of,
)
from turnkeyml.measure.fresh_inputs import (
    FreshInputs as FreshInputs, unseen as unseen, varied_inputs as varied_inputs,
)
from turnkeyml.measure.generation import (
    generations as generations, mean_over as mean_over, with_token_times as with_token_times,
)
from turnkeyml.measure.interference import (
    ALIKE as ALIKE, Distance as Distance, Interference as Interference, LONGEST_PAUSE as
    LONGEST_PAUSE, are_apart as are_apart, bring_together as bring_together, extremes as extremes,
    may_move as may_move, pass_a_token_around as pass_a_token_around,
)
from turnkeyml.measure.load.generator import (
    LaneServer as LaneServer, closed_loop as closed_loop, open_loop as open_loop, poisson_arrivals
    as poisson_arrivals,
)
from turnkeyml.measure.load.trace import (
    Answer as Answer, is_overloaded as is_overloaded, memory_of as memory_of, percentile_interval
    as percentile_interval, summary_of as summary_of,
)
from turnkeyml.measure.load.under_load import (
    Extent as Extent, LoadPoint as LoadPoint, extent_of as extent_of, find_rate as find_rate,
    measure_under_load as measure_under_load,
)
from turnkeyml.measure.memory import memory_speed as memory_speed
from turnkeyml.measure.meter import (
    Meter as Meter, NOT_SEEN as NOT_SEEN, ReportedMeter as ReportedMeter, Samples as Samples,
    SessionMeter as SessionMeter, Slice as Slice, WarmUp as WarmUp,
)
from turnkeyml.measure.metric import METRIC as METRIC, MetricRequest as MetricRequest
from turnkeyml.measure.noise import noise_floor as noise_floor
from turnkeyml.measure.race import (
    Elimination as Elimination, LEAST_ADVANTAGE as LEAST_ADVANTAGE, PerCopy as PerCopy,
    RoundReferee as RoundReferee, is_clearly_slower as is_clearly_slower, judge as judge, may_win
    as may_win, speedup as speedup,
)
from turnkeyml.measure.ratios import (
    Distribution as Distribution, GeometricMean as GeometricMean, Guess as Guess, Ratio as Ratio,
    SpeedVerdict as SpeedVerdict, draws_from_interval as draws_from_interval, draws_from_samples as
    draws_from_samples, guess_from_interval as guess_from_interval, guess_from_samples as
    guess_from_samples, ratio_generator as ratio_generator, ratio_of as ratio_of, verdict_on as
    verdict_on,
)
from turnkeyml.measure.record import (
    ProcessResult as ProcessResult, evaluation_of as evaluation_of, failed as failed,
    load_distances as load_distances, load_samples as load_samples, load_samples_and_distances as
    load_samples_and_distances, save_evaluation as save_evaluation,
)
from turnkeyml.measure.remote import Store as Store
from turnkeyml.measure.sampler import (
    LEAST_ROUNDS as LEAST_ROUNDS, PAUSING as PAUSING, RECOVERY_SECONDS as RECOVERY_SECONDS,
    SamplingProgress as SamplingProgress, WARMING as WARMING, sample as sample, settling_seconds as
    settling_seconds,
)
from turnkeyml.measure.session import (
    MachineFacts as MachineFacts, OpenSession as OpenSession, SessionInfo as SessionInfo,
    open_session as open_session,
)
from turnkeyml.measure.spawn import Worker as Worker
from turnkeyml.measure.statistics import (
    Interval as Interval, SAMPLES_NEEDED as SAMPLES_NEEDED, median_interval as median_interval,
    percentile as percentile, student as student,
)
from turnkeyml.measure.stopping import (
    DEFAULT_RULE as DEFAULT_RULE, QUICK_RULE as QUICK_RULE, RIGOROUS_RULE as RIGOROUS_RULE, Rule as
    Rule, is_moving as is_moving, relative_half_width as relative_half_width,
)
from turnkeyml.measure.worker import (
    Hello as Hello, WorkerRequest as WorkerRequest, claim_streams as claim_streams, serve as serve,
)
