"""Programs started by mpirun, and what their runs wrote."""

import csv
import os
import pathlib

# Ranks that share processors; as root too, and where a process may not read another's memory.
ENVIRONMENT = os.environ | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def losses_of(folder):
    """Of each row of a run's log.csv the step, and its losses: learned, and held out where they were looked at."""
    with open(pathlib.Path(folder) / "log.csv", encoding="utf-8", newline="") as file:
        return {int(row["step"]): [float(row[name]) for name in ("loss", "validation_loss") if row[name]] for row in csv.DictReader(file)}


def largest_difference(found, expected):
    """The largest difference of two runs' losses, and its step. Raises ValueError where they have other steps."""
    if {step: len(losses) for step, losses in found.items()} != {step: len(losses) for step, losses in expected.items()}:
        raise ValueError(f"expected losses of the same steps, found {len(found)} and {len(expected)} rows")
    return max((abs(a - b), step) for step in expected for a, b in zip(found[step], expected[step]))
