"""The first thing that runs on another machine, as text that is sent there.

Any Python runs it, so that one that is too old can say so. It says what there is, keeps this
package if that is not there yet, and then does what ``measure.remote`` does.
"""

from __future__ import annotations

MARK = "turnkey-host "
"""Begins each line that is meant for us: a shell may print what it likes when it starts."""

LAUNCHER = '-c "import sys; exec(eval(sys.stdin.readline()))"'
"""Arguments that any shell leaves as they are; the program itself comes as a line."""

_PROGRAM = """
import json, os, sys

sys.path[:1] = [p for p in sys.path[:1] if p]


def say(**words):
    sys.stdout.write({mark!r} + json.dumps(words) + "\\n")
    sys.stdout.flush()


def has(name):
    from importlib.util import find_spec
    try:
        return find_spec(name) is not None
    except ImportError:
        return False


def keep(content, folder):
    import io, shutil, tempfile, zipfile
    above = os.path.dirname(folder)
    os.makedirs(above, 0o700, exist_ok=True)
    made = tempfile.mkdtemp(dir=above)
    try:
        zipfile.ZipFile(io.BytesIO(content)).extractall(made)
        try:
            os.rename(made, folder)
        except OSError:
            if not os.path.isdir(folder):
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def load(folder):
    from importlib.util import module_from_spec, spec_from_file_location
    inside = os.path.join(folder, "turnkeyml")
    file = os.path.join(inside, "__init__.py")
    spec = spec_from_file_location("turnkeyml", file, submodule_search_locations=[inside])
    package = sys.modules["turnkeyml"] = module_from_spec(spec)
    spec.loader.exec_module(package)
    os.utime(folder)


def main(modules):
    version = list(sys.version_info[:3])
    say(python=version, modules=[name for name in modules if version >= [3, 4] and has(name)])
    line = sys.stdin.buffer.readline() if version >= [3] else ""
    if not line:
        return
    asked = json.loads(line)
    root = os.path.abspath(os.path.expanduser(asked["root"]))
    folder = os.path.join(root, "packages", asked["package"])
    there = os.path.isdir(folder)
    say(send=not there)
    if not there:
        size = int(sys.stdin.buffer.readline() or 0)
        content = sys.stdin.buffer.read(size)
        if not size or len(content) < size:
            return
        try:
            keep(content, folder)
        except OSError as error:
            say(error=str(error.strerror or error), folder=root)
            return
    load(folder)
    say(ready=True)
    from turnkeyml.measure.remote import serve
    serve(root)


main({modules!r})
"""


def program(modules: list[str]) -> str:
    """The line that ``LAUNCHER`` reads; the machine says which of the modules it has."""
    return repr(_PROGRAM.format(mark=MARK, modules=modules))
