"""Where the scripts in ``models/`` come from.

Hundreds of them differ in a name and a figure or two. A *survey* asks the installed libraries what
there is and writes a catalogue, one line a model; *generate* turns the catalogues into scripts,
and needs no library for it. Both are committed, and so is ``models/status.csv``: what became of
every script when turnkey was run on it.

    python -m corpora survey timm    ask the installed timm (in the environment of 'make models')
    python -m corpora generate       write the scripts
    python -m corpora check          say which scripts are stale
"""
