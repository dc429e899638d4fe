"""Comparing outputs. Needs numpy alone."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "capsule": "is_intact load_reference save_inputs save_reference",
        "comparison": "compare",
        "errors": "errors_of",
        "floats": "is_far",
        "floor": "FLOORS",
        "further": "FURTHER draw_further",
        "held_out": "VARIANTS draw is_mask",
        "padding": "draw_padded without_padding",
        "reach": "reach_of",
        "reference": "InnerResult Outputs Reference agree is_informative",
        "scale": "magnitude_of root_mean_square",
        "similarity": "alike",
        "spread": "compare_runs",
        "thresholds": "MOST_NUMBERS draw_around",
        "tolerances": "COSINE RULES UNIT loosest",
        "unusual": "UNUSUAL draw_unusual",
        "values": "places_of real",
        "verdict": (
            "NOT_EXERCISED RECORDED_ONLY calibrate judge judge_live with_frozen with_stable_weights"
        ),
    },
)
