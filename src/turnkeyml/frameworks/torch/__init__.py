"""Everything that knows what a ``torch.nn.Module`` is."""
