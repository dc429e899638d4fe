"""Prints docs/workarounds.md."""

from turnkeyml.workarounds.markdown import page

if __name__ == "__main__":
    print(page(), end="")
