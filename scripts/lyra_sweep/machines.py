# SPDX-License-Identifier: Apache-2.0
"""What `lyra` says about parameters; checks of values against it."""
import hashlib
import json
import subprocess
from dataclasses import dataclass, field

from .errors import SweepError, did_you_mean


@dataclass
class Parameter:
    name: str
    type: str  # flag, whole, number, text
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: list = field(default_factory=list)
    meaning: str = ""

    @property
    def numeric(self):
        return self.type in ("whole", "number")

    def text(self, value, place):
        """The value as `--set` takes it. Raises SweepError for a wrong type, range or choice."""
        def bad(why):
            raise SweepError(place, f"{self.name} = {value!r}: {why} ({self.meaning})")
        if self.type == "flag":
            if not isinstance(value, bool):
                bad("must be true or false")
            return "true" if value else "false"
        if self.type == "text":
            if not isinstance(value, str):
                bad("must be a string")
            if self.choices and value not in self.choices:
                bad("must be one of " + ", ".join(self.choices) + did_you_mean(value, self.choices))
            return value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            bad("must be a number")
        if self.type == "whole" and value != int(value):
            bad("must be a whole number")
        unit = f" {self.unit}" if self.unit else ""
        if self.minimum is not None and value < self.minimum:
            bad(f"must be at least {self.minimum:g}{unit}")
        if self.maximum is not None and value > self.maximum:
            bad(f"must be at most {self.maximum:g}{unit}")
        return str(int(value)) if value == int(value) else repr(float(value))


class Lyra:
    """The program: asked for its parameters, identified by its bytes."""

    def __init__(self, path):
        self.path = str(path)
        try:
            with open(self.path, "rb") as f:
                self.identity = hashlib.file_digest(f, "sha256").hexdigest()
        except OSError as e:
            raise SweepError(self.path, f"{e.strerror}: build it (scripts/build lyra) or name it with --lyra") from None
        self._lists = {}

    def ask(self, *arguments, place):
        r = subprocess.run([self.path, *arguments], capture_output=True, text=True)
        if r.returncode:
            raise SweepError(place, r.stderr.strip().removeprefix("lyra: ") or f"lyra ended with {r.returncode}")
        return r.stdout

    def _list(self, machine, place):
        if machine not in self._lists:
            self._lists[machine] = self.ask("machine", "--machine", machine, "--list", "--json", place=place)
        return self._lists[machine]

    def parameters(self, machine, place):
        """name -> Parameter of a machine (all have the same names)."""
        return {p["name"]: Parameter(p["name"], p["type"], p["unit"], p.get("minimum"), p.get("maximum"), p.get("choices", []), p["meaning"]) for p in json.loads(self._list(machine, place))}

    def machine_identity(self, machine, place):
        """Changes with any value of the machine."""
        return hashlib.sha256(self._list(machine, place).encode()).hexdigest()
