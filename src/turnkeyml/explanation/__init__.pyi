# Written by .ci/doors from the table in __init__.py.
from turnkeyml.explanation.costs import (
    SourceNode as SourceNode, cost_of as cost_of, read_source as read_source,
)
from turnkeyml.explanation.explain import explain_build as explain_build
from turnkeyml.explanation.findings import findings_of as findings_of
from turnkeyml.explanation.peaks import (
    Accelerator as Accelerator, bandwidth as bandwidth, best_of as best_of, is_disturbed as
    is_disturbed, measure_peaks as measure_peaks, peaks_of as peaks_of, watched as watched,
)
from turnkeyml.explanation.quantities import (
    counted as counted, gigaflops as gigaflops, milliseconds as milliseconds, size as size,
)
from turnkeyml.explanation.roofline import (
    account as account, held_to_peaks as held_to_peaks, is_transfer as is_transfer, limit_of as
    limit_of, operators_of as operators_of, types_of as types_of, with_nodes as with_nodes,
)
