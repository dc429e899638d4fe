"""``turnkey benchmark``."""

from __future__ import annotations

import argparse

from turnkeyml.api import benchmark_files, forecast_benchmark
from turnkeyml.cli.evaluating import evaluate
from turnkeyml.options import BenchmarkOptions


def run(options: argparse.Namespace) -> int:
    """Benchmark the files; exit status 1 if anything failed or is a mismatch."""
    return evaluate(options, benchmark_files, BenchmarkOptions, forecast_benchmark)
