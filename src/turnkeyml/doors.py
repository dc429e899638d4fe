"""The interface of a room: its names, each imported from inside on first use."""

TYPE_CHECKING = False  # workers start with it; importing typing would cost time
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def door(room: str, homes: "Mapping[str, str]") -> "Callable[[str], object]":
    """Return the ``__getattr__`` of a package that imports names when they are first asked for.

    ``homes`` has the names, separated by spaces, that each module of the package provides.
    """
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        import sys

        if name not in home_of:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{room}.{home_of[name]}"), name)
        setattr(sys.modules[room], name, value)
        return value

    return __getattr__
