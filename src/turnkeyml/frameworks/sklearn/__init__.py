"""The scikit-learn framework: its estimators, and those of XGBoost and LightGBM."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from turnkeyml.frameworks.framework import Framework

if TYPE_CHECKING:
    from turnkeyml.build import CapturedModel
    from turnkeyml.frameworks.register import Register

__all__ = ["FRAMEWORK"]


class ScikitLearn(Framework):
    """Discovers fitted estimators. Imports none of the libraries unless the script does."""

    name = "sklearn"
    model = "a scikit-learn, XGBoost or LightGBM model"

    @contextlib.contextmanager
    def watching(self, register: Register, max_depth: int) -> Iterator[dict[str, str]]:
        from turnkeyml.frameworks.sklearn.recorder import SklearnRecorder

        recorder = SklearnRecorder(register)
        with recorder.watching():
            yield recorder.remarks

    def owns(self, model: Any) -> bool:
        if not any(library in sys.modules for library in ("sklearn", "xgboost", "lightgbm")):
            return False
        from turnkeyml.frameworks.sklearn.estimators import is_estimator

        return is_estimator(model)

    def subject(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CapturedModel:
        from turnkeyml.frameworks.sklearn.subject import subject_of

        return subject_of(model, args, kwargs)


FRAMEWORK = ScikitLearn()
