# Written by .ci/doors from the table in __init__.py.
from turnkeyml.discover.inputs import (
    did_you_mean as did_you_mean, find_inputs as find_inputs, is_input_name as is_input_name,
    parse_filter as parse_filter, read_labels as read_labels, shipped_corpora as shipped_corpora,
    shipped_models as shipped_models, shipped_named as shipped_named, shipped_names as
    shipped_names, similar_names as similar_names,
)
from turnkeyml.discover.invocations import find_invocations as find_invocations
from turnkeyml.discover.script import finish_like_python as finish_like_python
from turnkeyml.discover.sweep import (
    file_inputs as file_inputs, parse_shapes as parse_shapes, parse_sweep as parse_sweep,
    script_words as script_words,
)
