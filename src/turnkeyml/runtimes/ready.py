"""Says whether a runtime is ready under this interpreter, to the one that asks."""

from __future__ import annotations

import json
import sys

from turnkeyml.runtimes.registry import find_runtime


def main() -> None:
    """Print what keeps the runtime of the first argument off the device of the second, as JSON."""
    name, device = sys.argv[1:3]
    sys.stdout.write(json.dumps({"obstacle": find_runtime(name, device).obstacle()}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
