"""``python -m turnkeyml.options`` prints the table of options for docs/options.md."""

from turnkeyml.options.declared import options_table

if __name__ == "__main__":
    print(options_table())
