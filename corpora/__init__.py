"""Generate the scripts in ``models/``.

Hundreds of them differ only in a name and a few numbers. A *survey* queries the installed libraries
and writes a catalogue with one line per model. *generate* turns the catalogues into scripts, and
needs no library. Both are committed, and so is ``models/status.csv``: the result of turnkey for
each script.

    python -m corpora survey timm    query the installed timm (in the environment of 'make models')
    python -m corpora generate       write the scripts
    python -m corpora check          name the scripts that are stale
"""
