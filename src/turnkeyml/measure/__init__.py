"""From a Build to an Evaluation: the sampler, the statistics, the worker process.

Nothing here may import torch at module level: the worker measures with one runtime and numpy.
"""
