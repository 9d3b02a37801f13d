"""Engines: who answers the learner's questions about rows."""

from unless.engine.base import Counts, Engine
from unless.engine.memory import MemoryEngine

__all__ = ["Counts", "Engine", "MemoryEngine"]
