"""One file per stage, named after it. The stages that receive a model are with its framework."""
