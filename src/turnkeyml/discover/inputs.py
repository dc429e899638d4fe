"""Input names and the files they stand for: paths, globs, lists, modules, shipped models, labels.

``-m package.module`` names a module of a package, as Python itself takes it; ``timm/resnet50``,
``timm/resnet*`` or ``timm`` name models that come with turnkeyml. Labels are keys and values in a
comment on the first line of a script, by which inputs are chosen:

# labels: name=bert author=google task=question_answering,translation

The older ``name::bert`` means the same.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from turnkeyml.errors import UsageError
from turnkeyml.escaping import one_line
from turnkeyml.filesystem import MODELS_DIR
from turnkeyml.frameworks import frameworks
from turnkeyml.nouns import Input, split_hashes, split_pair

LIST = ".txt"
"""The suffix of a text file with one input per line."""
DEEPEST = 20
"""How many lists may be around a list that they include."""
MODULE_FLAG = "-m "
SUGGESTED = 3
"""Names in the question that a misspelling is answered with."""
_LABELS_COMMENT = re.compile(r"^\ufeff?#\s*labels\b\s*:?\s*(.*)$")
LabelValues = dict[str, tuple[str, ...]]


def find_inputs(names: Iterable[str], wanted: LabelValues | None = None) -> list[Input]:
    """The input files that the names expand to, in order and without duplicates.

    With ``wanted``, only files with matching labels. Raises a usage error if a file is not found.
    """
    found: dict[tuple[str, str, tuple[str, ...]], Input] = {}
    done: set[str] = set()
    for name in names:
        for item in _expand(str(name), Path(), (), done):
            found.setdefault((os.path.abspath(item.path), item.module, item.targets), item)
    inputs = [_labelled(item) for item in found.values()]
    chosen = [item for item in inputs if has_labels(item.labels, wanted or {})]
    if inputs and not chosen:
        labels = " ".join(f"{key}={','.join(values)}" for key, values in (wanted or {}).items())
        raise UsageError(f"None of the {len(inputs)} input files has the labels {labels}.")
    return chosen


def is_input_name(path: str) -> bool:
    """Whether the suffix of a path is that of an input file."""
    return path.lower().endswith(tuple(suffixes()))


def suffixes() -> list[str]:
    """The suffixes of input files: scripts, model files of the frameworks, lists."""
    return [".py", *(f.suffix for f in frameworks() if f.suffix), LIST]


def did_you_mean(path: str) -> str:
    """A question that names what can be typed instead of an input that was not found, or nothing.

    Files that are named like it but for the suffix, or else the most similar file of its folder, or
    shipped models.
    """
    near = _with_another_suffix(path)
    if not near and is_input_name(path):
        stem = Path(path).stem.lower()
        like = [name for name in similar_names(path) if name.lower().endswith(f"/{stem}")]
        near = _misspelled(path) or like
    elif not near:
        near = similar_names(path)
    return f" Did you mean {_or([repr(name) for name in near])}?" if near else ""


def _labelled(item: Input) -> Input:
    if not item.is_script:
        return item
    labels = read_labels(item.path)
    return replace(item, labels=labels.values, malformed_labels=labels.malformed)


def _expand(name: str, base: Path, lists: tuple[str, ...], done: set[str]) -> list[Input]:
    """The inputs that a name stands for, without those of lists that are ``done``.

    These would not add any, and lists that name each other twice would take for ever.
    """
    path, hashes = split_hashes(name, str(base))
    targets = tuple(h.strip() for h in (hashes or "").split(",") if h.strip())
    if hashes is not None and not targets:
        raise UsageError(f"{one_line(name)}: the hash after '::' is missing.")
    if is_module_name(path):
        file, module = find_module(path)
        return [Input(file, targets, module=module)]
    files = _locate(path, base)
    if targets and (len(files) > 1 or glob.has_magic(path)):
        raise UsageError(f"{one_line(name)}: hashes need a single file, not a wildcard.")
    inputs = []
    for file in files:
        if file.lower().endswith(LIST):
            inputs += _read_list(file, lists, done)
        else:
            inputs.append(Input(file, targets))
    return inputs


def _locate(path: str, base: Path) -> list[str]:
    plain = _resolve(path, base)
    if os.path.exists(plain):
        return [_checked_input(plain)]
    for folder in (base, Path()):
        paths = sorted(glob.glob(str(folder / path), recursive=True))
        inputs = [p for p in paths if is_input_name(p) and os.path.isfile(p)]
        if inputs:
            return inputs
    return shipped_named(path) or _missing(path)


def _missing(path: str) -> NoReturn:
    if glob.has_magic(path):
        like = f"*/{path}" if "/" not in path else ""
        hint = f" For shipped models, write '{like}'." if like and shipped_named(like) else ""
        raise UsageError(f"No {_or(suffixes())} file matches {path!r}.{hint}")
    raise UsageError(f"File not found: {path!r}.{did_you_mean(path)}")


def _with_another_suffix(path: str) -> list[str]:
    """The input files that are named like this one but for the suffix."""
    stem = os.path.splitext(path)[0] if is_input_name(path) else path
    return [file for file in (f"{stem}{suffix}" for suffix in suffixes()) if os.path.isfile(file)]


def _misspelled(path: str) -> list[str]:
    """The input file in the same folder whose name is most similar."""
    import difflib

    folder, name = os.path.split(path)
    if not os.path.isdir(folder or "."):
        return []
    files = [file for file in os.listdir(folder or ".") if is_input_name(file)]
    return [os.path.join(folder, file) for file in difflib.get_close_matches(name, files, 1, 0.75)]


def _or(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _resolve(path: str, base: Path) -> str:
    """A path relative to the folder of its list, otherwise to the working directory."""
    beside = str(base / path) if path else path
    return beside if os.path.exists(beside) else path


def _checked_input(path: str) -> str:
    if os.path.isdir(path):
        raise UsageError(f"{path!r} is a directory; name the files, for example '{path}/*.py'.")
    if not is_input_name(path):
        raise UsageError(f"{path!r} is not a {_or(suffixes())} file.")
    return path


def _read_list(file: str, above: tuple[str, ...], done: set[str]) -> list[Input]:
    absolute = os.path.abspath(file)
    if absolute in above:
        raise UsageError(f"The list {file!r} includes itself.")
    if len(above) == DEEPEST:
        raise UsageError(f"The list {file!r} is the last of {DEEPEST + 1} that include each other.")
    if absolute in done:
        return []
    inputs = []
    lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    for number, entry in enumerate(map(str.strip, lines), start=1):
        if not entry or entry.startswith("#"):
            continue
        try:
            inputs += _expand(entry, Path(file).parent, (*above, absolute), done)
        except UsageError as error:
            raise UsageError(f"{file}, line {number}: {error}") from None
    done.add(absolute)
    return inputs


def is_module_name(name: str) -> bool:
    """Whether the name of an input is that of a module, and not of a file."""
    return name.startswith(MODULE_FLAG)


def find_module(name: str) -> tuple[str, str]:
    """The file and the dotted name of the module in ``-m NAME``. Imports nothing."""
    module = name.removeprefix(MODULE_FLAG).strip()
    if not module or not all(part.isidentifier() for part in module.split(".")):
        raise UsageError(f"-m takes the name of a module, such as package.module, not {module!r}.")
    for folder in dict.fromkeys((os.getcwd(), *filter(None, sys.path))):
        path = os.path.join(folder, *module.split("."))
        for file in (os.path.join(path, "__main__.py"), f"{path}.py"):
            if os.path.isfile(file):
                return file, module
    raise UsageError(
        f"Module not found: {module!r} is neither in {os.getcwd()} nor installed; run turnkey in "
        "the folder that contains the package."
    )


def shipped_corpora() -> list[str]:
    """The names of the corpora: the folders that contain scripts; none without shipped models."""
    if not os.path.isdir(MODELS_DIR):
        return []
    folders = [entry for entry in os.scandir(MODELS_DIR) if entry.is_dir()]
    return sorted(f.name for f in folders if f.name[0].isalpha() and any(Path(f).glob("*.py")))


def shipped_names(corpus: str) -> list[str]:
    """The names of all models in the corpora that match a pattern, sorted."""
    matching = fnmatch.filter(shipped_corpora(), corpus)
    files = [p for c in matching for p in Path(MODELS_DIR, c).glob("*.py") if p.name[0] != "_"]
    return sorted(f"{p.parent.name}/{p.stem}" for p in files)


def shipped_named(name: str) -> list[str]:
    """The scripts that a name or pattern matches, sorted; empty if none does."""
    corpus, _, model = name.partition("/")
    pattern = model.removesuffix(".py") or "*"
    return [
        _script_of(n)
        for n in shipped_names(corpus)
        if fnmatch.fnmatchcase(n, f"{corpus}/{pattern}")
    ]


def shipped_models(
    patterns: Iterable[str] = (), wanted: LabelValues | None = None
) -> list[tuple[str, LabelValues]]:
    """Model names with their labels: all, or those that match a pattern and the labels."""
    paths: list[str] = []
    for pattern in patterns:
        found = shipped_named(pattern)
        if not found:
            raise UsageError(_shipped_not_found(pattern))
        paths += found
    if not patterns:
        paths = [_script_of(name) for name in shipped_names("*")]
    labelled = [(_shipped_name(path), read_labels(path).values) for path in dict.fromkeys(paths)]
    return [(name, labels) for name, labels in labelled if has_labels(labels, wanted or {})]


def similar_names(name: str) -> list[str]:
    """The names of models that may be meant by this one, or of a corpus; the most similar first.

    Those of the same name in any corpus (``resnet50``), or else the nearest misspelling.
    """
    import difflib

    corpus, _, model = name.removesuffix(".py").rpartition("/")
    stems: dict[str, list[str]] = {}
    near = difflib.get_close_matches(corpus or model, shipped_corpora(), 1)
    if near and not corpus:
        return near
    for found in shipped_names(near[0] if near else "*"):
        stems.setdefault(found.partition("/")[2].lower(), []).append(found)
    wanted = model.lower()
    best = [wanted] if wanted in stems else difflib.get_close_matches(wanted, stems, 1, 0.75)
    return [found for stem in best for found in stems[stem]][:SUGGESTED]


def _shipped_not_found(name: str) -> str:
    """The error message for a name that matches no model."""
    near = " or ".join(f"'{one}'" for one in similar_names(name))
    hint = f" Did you mean {near}?" if near else " 'turnkey models list' lists all models."
    return f"Model not found: turnkey comes with no model {name!r}.{hint}"


def _script_of(name: str) -> str:
    return os.path.join(MODELS_DIR, f"{name}.py")


def _shipped_name(path: str) -> str:
    return f"{Path(path).parent.name}/{Path(path).stem}"


@dataclass(frozen=True)
class ScriptLabels:
    """The labels of a script, and the malformed words in its labels comment."""

    values: LabelValues
    malformed: tuple[str, ...] = ()


def read_labels(path: str) -> ScriptLabels:
    """The labels of a script; empty if it has no labels comment."""
    with open(path, encoding="utf-8", errors="replace") as file:
        found = _LABELS_COMMENT.match(file.readline().rstrip())
    values: LabelValues = {}
    malformed = []
    for word in found.group(1).split() if found else []:
        label = _parse_label(word)
        if label is None:
            malformed.append(word)
        else:
            values[label[0]] = (*values.get(label[0], ()), *label[1])
    return ScriptLabels(values, tuple(malformed))


def parse_filter(words: Iterable[str]) -> LabelValues:
    """The filter that ``--labels`` defines: every key must have one of its values."""
    wanted: LabelValues = {}
    for word in words:
        label = _parse_label(word)
        if label is None:
            raise UsageError(f"A label must be key=value or key=value1,value2, not {word!r}.")
        wanted[label[0]] = (*wanted.get(label[0], ()), *label[1])
    return wanted


def has_labels(labels: LabelValues, wanted: LabelValues) -> bool:
    """Whether a script has every wanted key with at least one of the wanted values."""
    return all(set(labels.get(key, ())) & set(values) for key, values in wanted.items())


def _parse_label(word: str) -> tuple[str, tuple[str, ...]] | None:
    key, separator, rest = split_pair(word)
    values = tuple(value for value in rest.split(",") if value)
    return (key, values) if separator and key and values else None
