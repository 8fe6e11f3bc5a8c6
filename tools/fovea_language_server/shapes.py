"""What `fovea shapes` says of a file, and where an editor shows it."""

import asyncio
import dataclasses
import json
import os


class Failure(Exception):
    """The file cannot be looked at: a sentence of the command's."""


@dataclasses.dataclass
class Shapes:
    """Of one file that was compiled."""

    expressions: list  # as the command prints them
    errors: list
    warnings: list
    models: int


async def shapes_of(path, command, arguments):
    """Runs the command on a file. Raises Failure. Cancelling it ends the compiler, too."""
    words = [*command, "shapes", "--json", "--all", "--unused", path, *arguments]
    try:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True
        )
    except OSError as problem:
        raise Failure(f"{command[0]} cannot be run: {problem.strerror}") from problem
    try:
        output, errors = await process.communicate()
    except asyncio.CancelledError:
        if process.returncode is None:
            os.killpg(process.pid, 15)
        raise
    if process.returncode not in (0, 1):
        raise Failure(errors.decode(errors="replace").strip())
    found = json.loads(output)
    return Shapes(found["expressions"], found["errors"], found["warnings"], len(found["models"]))


def text_of(shape):
    return "[" + ", ".join(map(str, shape)) + "]"


def chain_of(expressions):
    """Their shapes in the order of their making, equal neighbours once."""
    texts = [text_of(one["shape"]) for one in expressions]
    return " → ".join(text for text, last in zip(texts, [None, *texts]) if text != last)


def hint_of(expressions):
    """What is shown of one line. Where models differ in it, each has its own shapes."""
    differing = dict.fromkeys(model for one in expressions if not one["in_all_models"] for model in one["models"])
    chains = {}
    for model in differing:
        chain = chain_of([one for one in expressions if model in one["models"]])
        chains.setdefault(chain, []).append(model)
    if len(chains) < 2:
        return chain_of(expressions)
    return "; ".join(f"{chain} in {', '.join(models)}" for chain, models in chains.items())


def hints_of(expressions, path):
    """The hint of each line of a file that has one; lines count from 0."""
    lines = {}
    for one in expressions:
        if one["file"] == path:
            lines.setdefault(one["line"] - 1, []).append(one)
    return {line: hint_of(found) for line, found in sorted(lines.items())}


def moved(line, before, now):
    """Where a line of a text is after it was edited; None for one that was edited itself."""
    shortest = min(len(before), len(now))
    same_above = next((i for i in range(shortest) if before[i] != now[i]), shortest)
    if line < same_above:
        return line
    same_below = next((i for i in range(shortest - same_above) if before[-1 - i] != now[-1 - i]), shortest - same_above)
    return line + len(now) - len(before) if line >= len(before) - same_below else None
