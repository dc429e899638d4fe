"""Why is a model as slow as it is? Profile → costs → roofline → findings."""
