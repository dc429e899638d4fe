# Written by .ci/doors from the table in __init__.py.
from turnkeyml.explanation.accounting import account as account
from turnkeyml.explanation.costs import cost_of as cost_of
from turnkeyml.explanation.disturbance import (
    best_of as best_of, is_disturbed as is_disturbed, watched as watched,
)
from turnkeyml.explanation.explain import explain_build as explain_build
from turnkeyml.explanation.findings import findings_of as findings_of
from turnkeyml.explanation.layers import with_nodes as with_nodes
from turnkeyml.explanation.peaks import (
    Accelerator as Accelerator, bandwidth as bandwidth, measure_peaks as measure_peaks, peaks_of as
    peaks_of,
)
from turnkeyml.explanation.roofline import (
    held_to_peaks as held_to_peaks, is_transfer as is_transfer, limit_of as limit_of, operators_of
    as operators_of, types_of as types_of,
)
from turnkeyml.explanation.source import SourceNode as SourceNode, read_source as read_source
from turnkeyml.explanation.words import (
    counted as counted, gigaflops as gigaflops, milliseconds as milliseconds, size as size,
)
