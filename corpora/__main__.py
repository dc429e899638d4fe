"""``python -m corpora survey|generate|check [CORPUS ...]``."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from corpora import catalogue
from corpora.script import Script

CORPORA = {
    "torchvision": ("torchvision",),
    "torch_hub": ("torch_hub",),
    "timm": ("timm",),
    "transformers": ("transformers_text", "transformers_senses"),
    "diffusers": ("diffusers",),
    "graph_convolutions": ("graph_convolutions",),
    "popular_on_huggingface": ("popular_on_huggingface",),
    "llm": ("llm",),
    "llm_layer": ("llm_layer",),
}
"""The generated corpora and their sources. Each source is a module in ``corpora/sources`` with
``survey()``, which returns the rows of a catalogue, and ``scripts(rows)``, which returns the
scripts for them."""

MODELS = Path(__file__).parent.parent / "models"


def source(name: str) -> ModuleType:
    """The module for a library."""
    return import_module(f"corpora.sources.{name}")


def scripts_of(corpus: str) -> list[Script]:
    """The scripts that are generated from the catalogue of a corpus."""
    made = [
        script for name in CORPORA[corpus] for script in source(name).scripts(catalogue.read(name))
    ]
    names = [script.name for script in made]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"{corpus} has two scripts with the name {', '.join(sorted(twice))}.")
    return made


def stale(corpus: str) -> list[str]:
    """One sentence per script of a corpus that is missing, superfluous or outdated."""
    wanted = {script.path: script.text for script in scripts_of(corpus)}
    there = {f"{corpus}/{p.name}": p for p in sorted((MODELS / corpus).glob("*.py"))}
    wrong = [f"models/{path} is missing" for path in wanted if path not in there]
    wrong += [f"models/{path} is in no catalogue" for path in there if path not in wanted]
    wrong += [
        f"models/{path} differs from what the generator writes"
        for path, text in wanted.items()
        if path in there and there[path].read_text(encoding="utf-8") != text
    ]
    return wrong


def generate(corpus: str) -> int:
    """Write the scripts of a corpus and remove outdated ones; the number of scripts."""
    made = scripts_of(corpus)
    folder = MODELS / corpus
    folder.mkdir(exist_ok=True)
    for path in set(folder.glob("*.py")) - {MODELS / script.path for script in made}:
        path.unlink()
    for script in made:
        (MODELS / script.path).write_text(script.text, encoding="utf-8")
    return len(made)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m corpora", description=__doc__)
    parser.add_argument("action", choices=("survey", "generate", "check"))
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help=", ".join(CORPORA))
    options = parser.parse_args()
    unknown = set(options.corpora) - set(CORPORA)
    if unknown:
        parser.error(f"unknown corpus {', '.join(sorted(unknown))}")
    wrong: list[str] = []
    for corpus in options.corpora or CORPORA:
        if options.action == "survey":
            for name in CORPORA[corpus]:
                print(catalogue.write(name, source(name).survey()))
        elif options.action == "generate":
            print(f"{corpus}: {generate(corpus)} scripts")
        else:
            wrong += stale(corpus)
    for sentence in wrong:
        print(f"{sentence}; run 'python -m corpora generate'.", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
