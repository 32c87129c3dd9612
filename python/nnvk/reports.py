"""Profiles and explanations: which operation takes how long, and where it runs and why."""

import json
from dataclasses import dataclass
from typing import Dict, List, Optional


@dataclass(frozen=True)
class ProfiledOperation:
    """The mean time of one operation."""

    index: int
    """The position in the model, as in `Explanation.operations`. An operation may appear several times."""
    name: str
    """NNAPI's name, such as "CONV_2D"."""
    kernel: str
    """The device's own name of the kernel."""
    seconds: float
    """The mean time of several runs."""
    bytes: int
    """The bytes that it reads and writes."""
    multiply_adds: int
    """The multiplications with additions that it computes."""


@dataclass(frozen=True)
class Profile:
    """The times of the operations of a model. `str()` gives the table of `nnvk run --profile`."""

    operations: List[ProfiledOperation]
    """In the order in which the devices run them."""
    text: str
    """The table."""

    def __str__(self) -> str:
        """The table."""
        return self.text

    @staticmethod
    def parse(document: str, text: str) -> "Profile":
        """Makes a profile from the library's description."""
        return Profile(
            [
                ProfiledOperation(entry["operation"], entry["name"], entry["kernel"], entry["seconds"], int(entry["bytes"]),
                                  int(entry["multiply_adds"]))
                for entry in json.loads(document)
            ],
            text,
        )


@dataclass(frozen=True)
class ExplainedOperation:
    """The place of one operation, and the reasons of the devices that decline it."""

    name: str
    """NNAPI's name, such as "CONV_2D"."""
    origin: str
    """The operator of the file that it comes from."""
    device: str
    """The device that runs it; empty if it was merged into another operation or computed when the model was compiled."""
    refusals: Dict[str, str]
    """The reason of each device that declines it, by the device's name."""
    predicted_seconds: Optional[float]
    """The time that nnvk expects on `device`; None if the operation was merged."""
    measured_seconds: Optional[float]
    """The mean time of several runs; None if the device does not say it."""


@dataclass(frozen=True)
class Partition:
    """A part of the model that runs on one device."""

    device: str
    """The name of the device."""
    operations: int
    """The number of operations."""
    predicted_seconds: float
    """The time that nnvk expects for the operations."""
    transfer_seconds: float
    """The time that nnvk expects for the start, and for moving data to the device and away."""


@dataclass(frozen=True)
class Explanation:
    """Where each operation of a model runs and why not elsewhere. `str()` gives the table of `nnvk explain`."""

    operations: List[ExplainedOperation]
    """In the order of the model."""
    partitions: List[Partition]
    """In the order in which they run."""
    predicted_seconds: Optional[float]
    """The time that nnvk expects for a run of the whole model."""
    measured_seconds: Optional[float]
    """The time of the fastest of 15 runs."""
    text: str
    """The table."""

    def __str__(self) -> str:
        """The table."""
        return self.text

    @staticmethod
    def parse(document: str, text: str) -> "Explanation":
        """Makes an explanation from the library's description."""
        entry = json.loads(document)
        operations = []
        for operation in entry["operations"]:
            predicted = [answer["predicted_seconds"] for answer in operation["answers"] if answer["device"] == operation["device"]]
            operations.append(
                ExplainedOperation(
                    operation["name"],
                    operation["origin"],
                    operation["device"],
                    {answer["device"]: answer["reason"] for answer in operation["answers"] if not answer["supported"]},
                    predicted[0] if predicted else None,
                    operation["measured_seconds"],
                )
            )
        partitions = [
            Partition(part["device"], part["operations"], part["predicted_seconds"], part["transfer_seconds"])
            for part in entry["partitions"]
        ]
        return Explanation(operations, partitions, entry["predicted_seconds"], entry["measured_seconds"], text)
