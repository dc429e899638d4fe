"""Options that order builds, or select them by what they are."""

from typing import Annotated, TypedDict

from turnkeyml.options import checks, choices
from turnkeyml.options.option import Option
from turnkeyml.options.results import ChangeOptions


class ListView(TypedDict, total=False):
    sort: Annotated[
        str,
        Option(
            help="the order of the builds: {choices}; the fastest, best graded, newest or largest "
            "first, and the worst verdict",
            default="name",
            choices=choices.orders,
            noun="order",
            metavar="BY",
        ),
    ]


class SelectOptions(ChangeOptions, total=False):
    """Options of ``cache delete`` and ``cache clean``."""

    older_than: Annotated[
        str | float | None,
        Option(
            help="only builds that were last measured, or else built, longer ago, such as 30d, "
            "12h or 90m",
            default_in_words="any age",
            check=checks.age,
            in_file=False,
            metavar="AGE",
        ),
    ]
    larger_than: Annotated[
        str | int | None,
        Option(
            help="only builds whose files take more, such as 1GB or 500MB",
            default_in_words="any size",
            check=checks.size,
            in_file=False,
            metavar="SIZE",
        ),
    ]
    failed: Annotated[
        bool,
        Option(
            help="only builds that failed or that no runtime could measure",
            default=False,
            in_file=False,
        ),
    ]
