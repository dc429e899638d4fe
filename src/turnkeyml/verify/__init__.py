"""Outputs compared with the original: the reference, held-out inputs, the verdict.

Needs numpy alone.
"""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "comparison": "compare",
        "errors": "alike errors_of",
        "floats": "is_far",
        "held_out": "FURTHER VARIANTS draw draw_further draw_padded is_mask without_padding",
        "magnitudes": "magnitude_of places_of real root_mean_square",
        "random_models": "compare_runs",
        "reference": (
            "InnerResult Outputs Reference agree is_informative is_intact load_reference "
            "save_inputs save_reference"
        ),
        "rounding": "FLOORS reach_of",
        "tolerances": "COSINE RULES UNIT loosest",
        "unusual_inputs": "MOST_NUMBERS UNUSUAL draw_around draw_unusual",
        "verdict": (
            "NOT_EXERCISED RECORDED_ONLY calibrate judge judge_live with_frozen with_stable_weights"
        ),
    },
)
