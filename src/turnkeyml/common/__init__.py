"""Names that exist because the guides mention them; each stands for something elsewhere."""
