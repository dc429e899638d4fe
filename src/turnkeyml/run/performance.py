"""The import path of ``MeasuredPerformance`` that older plugins use."""

from turnkeyml.common.performance import MeasuredPerformance

__all__ = ["MeasuredPerformance"]
