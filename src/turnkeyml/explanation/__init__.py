"""Why is a model as slow as it is? Profile → costs → roofline → findings."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "accounting": "account",
        "costs": "cost_of",
        "disturbance": "best_of is_disturbed watched",
        "explain": "explain_build",
        "findings": "findings_of",
        "layers": "with_nodes",
        "peaks": "Accelerator bandwidth measure_peaks peaks_of",
        "roofline": "held_to_peaks is_transfer limit_of operators_of types_of",
        "source": "SourceNode read_source",
        "words": "counted gigaflops milliseconds size",
    },
)
