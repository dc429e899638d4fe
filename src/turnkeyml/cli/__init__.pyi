# Written by .ci/doors from the table in __init__.py.
from turnkeyml.cli.benchit import translate as translate
from turnkeyml.cli.defaults import Defaults as Defaults, find_settings as find_settings
from turnkeyml.cli.entry import main as main
from turnkeyml.cli.parser import (
    COMMANDS as COMMANDS, WITHOUT_OPTIONS as WITHOUT_OPTIONS, parse as parse,
)
from turnkeyml.cli.spawn import DEFAULT_TIMEOUT_SECONDS as DEFAULT_TIMEOUT_SECONDS
