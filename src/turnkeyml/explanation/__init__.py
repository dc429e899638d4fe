"""Why is a model as slow as it is? Profile → costs → roofline → findings."""

from turnkeyml.doors import door

__getattr__ = door(
    __name__,
    {
        "costs": "SourceNode cost_of read_source",
        "explain": "explain_build",
        "findings": "findings_of",
        "peaks": "Accelerator bandwidth best_of is_disturbed measure_peaks peaks_of watched",
        "quantities": "counted gigaflops milliseconds size",
        "roofline": "account held_to_peaks is_transfer limit_of operators_of types_of with_nodes",
    },
)
