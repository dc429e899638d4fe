"""One module per library: the models that it has, and the scripts for them."""
