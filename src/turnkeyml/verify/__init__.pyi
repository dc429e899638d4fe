# Written by .ci/doors from the table in __init__.py.
from turnkeyml.verify.comparison import compare as compare
from turnkeyml.verify.errors import alike as alike, errors_of as errors_of
from turnkeyml.verify.floats import is_far as is_far
from turnkeyml.verify.held_out import (
    FURTHER as FURTHER, VARIANTS as VARIANTS, draw as draw, draw_further as draw_further,
    draw_padded as draw_padded, is_mask as is_mask, without_padding as without_padding,
)
from turnkeyml.verify.magnitudes import (
    magnitude_of as magnitude_of, places_of as places_of, real as real, root_mean_square as
    root_mean_square,
)
from turnkeyml.verify.random_models import compare_runs as compare_runs
from turnkeyml.verify.reference import (
    InnerResult as InnerResult, Outputs as Outputs, Reference as Reference, agree as agree,
    is_informative as is_informative, is_intact as is_intact, load_reference as load_reference,
    save_inputs as save_inputs, save_reference as save_reference,
)
from turnkeyml.verify.rounding import FLOORS as FLOORS, reach_of as reach_of
from turnkeyml.verify.tolerances import (
    COSINE as COSINE, RULES as RULES, UNIT as UNIT, loosest as loosest,
)
from turnkeyml.verify.unusual_inputs import (
    MOST_NUMBERS as MOST_NUMBERS, UNUSUAL as UNUSUAL, draw_around as draw_around, draw_unusual as
    draw_unusual,
)
from turnkeyml.verify.verdict import (
    NOT_EXERCISED as NOT_EXERCISED, RECORDED_ONLY as RECORDED_ONLY, calibrate as calibrate, judge
    as judge, judge_live as judge_live, with_frozen as with_frozen, with_stable_weights as
    with_stable_weights,
)
