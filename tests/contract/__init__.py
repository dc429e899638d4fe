"""What the guides promise, a test a promise. ``docs/contract.md`` is the table of them."""
