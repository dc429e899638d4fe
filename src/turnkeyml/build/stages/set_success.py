"""The stage that marks a successful build."""

from __future__ import annotations

from turnkeyml.build.stage import BuildContext, Stage


class SetSuccess(Stage):
    """Marks the end of a sequence."""

    name = "set_success"
    message = "Finishing up"

    def fire(self, bench: BuildContext) -> None:
        print("The build is complete.")
