"""What a wheel must do where it was installed, and nothing else: python tests/wheel.py."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

sys.modules["cython"] = None  # type: ignore[assignment]  # importing it fails: compiled kernels do not need it

from sklearn.datasets import load_wine

import unless
from unless.kernels import compiled

assert compiled, "the wheel has no compiled kernels"
spec = importlib.util.find_spec("unless")
assert spec is not None
assert "site-packages" in str(spec.origin), f"not the wheel: {spec.origin}"
X, y = load_wine(return_X_y=True)
model = unless.UnlessClassifier().fit(X[::2], y[::2])
assert model.score(X[1::2], y[1::2]) > 0.85
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "model.json"
    model.save(path)
    assert (unless.load(path).predict(X) == model.predict(X)).all()
print(f"{unless.__version__} works")
