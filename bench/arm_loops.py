#!/usr/bin/env python3
"""The inner loops of ARM kernels under LLVM's models of processors: the share of the limit of multiply-adds.

    bench/arm_loops.py build-aarch64/fovea_kernels_neon64.o.whole build-aarch64/bench/calls
    bench/arm_loops.py --kernel 'score_rows' build-aarch64/fovea_kernels_neon64.o.whole
    bench/arm_loops.py --integers build-aarch64/fovea_neon_dotprod.o.whole build-aarch64/fovea_neon_i8mm.o.whole

llvm-mca simulates each innermost loop that multiplies and adds vectors, as if the first-level cache met all loads. The
limit is what the same model does of multiply-adds that wait for nothing. Each kernel has the share of its best loop. One
below --least is a failure, and the exit status is 1. Gradients that pack what they read may have less, and rows of
recurrences as well, which load as many vectors as they multiply. Those rows are in a program that has a recurrence.

Of products of integers it counts the multiply-adds of bytes in a cycle, of the largest block of rows. An object that does
fewer than the one before it, for some format and processor, is a failure.
"""

import argparse
import re
import subprocess
import sys

PROCESSORS = ["neoverse-v2", "apple-m1", "cortex-a76"]
KERNELS = {
    "product": r"detail::multiply<.*, 8ul, 2ul, 8ul, false, .*\)0>",
    "convolution": r"detail::multiply<.*, 8ul, 2ul, 8ul, true, .*\)0>",
    "attention, scores": r"attention_block<.*, 2ul>::score_rows",
    "attention, values": r"attention_block<.*, 2ul>::add_value",
    "gradient of a product": r"multiply_turned<.*, false, false>",
    "the same, packing one side": r"multiply_turned<.*, (?:true, false|false, true)>",
    "the same, packing both": r"multiply_turned<.*, true, true>",
    "rows of a recurrence": r"scan_loop|position_code",
}
# A block of a gradient multiplies and adds 16 vectors a step. neoverse-v2 stores by the units that do so: 2 stores leave
# 16 / 18 of the limit, and 4 leave 16 / 20. It loads 3 vectors while it multiplies 4: 33 loads for 32 of them leave 8 / 11.
LEAST = {"the same, packing one side": 0.85, "the same, packing both": 0.75, "rows of a recurrence": 0.7}
INTEGER_PROCESSORS = ["neoverse-v2", "neoverse-n2"]
INTEGERS = {  # by the place of the format in all_formats, and the rows of the block
    "int8": r"multiply_rounded(?:_block)?<.*\)7>, (\d+)ul>",
    "q8_0": r"multiply_rounded(?:_block)?<.*\)8>, (\d+)ul>",
    "q4_0": r"multiply_rounded(?:_block)?<.*\)9>, (\d+)ul>",
}
OF_BYTES = {"sdot": 16, "smmla": 32}
MULTIPLY_ADD = re.compile(r"^fml[as]\s+v")
BRANCH = re.compile(r"^(?:b(?:\.\w+)?|cbn?z|tbn?z)\s+(?:[^<]*,\s*)?(?:0x)?([0-9a-f]+)\s+<")


def functions(path):
    """Name and instructions, each with its address, of every function."""
    listing = subprocess.run(
        ["aarch64-linux-gnu-objdump", "-d", "-C", "--no-show-raw-insn", path], check=True, capture_output=True, text=True
    ).stdout
    name, body = None, []
    for line in listing.splitlines():
        if head := re.match(r"^[0-9a-f]+ <(.*)>:$", line):
            if body:
                yield name, body
            name, body = head[1], []
        elif step := re.match(r"^\s*([0-9a-f]+):\s+(.*)$", line):
            body.append((int(step[1], 16), step[2].split("//")[0].strip()))
    if body:
        yield name, body


def loops(body):
    """The instructions of each innermost loop, from where a branch goes back to that branch."""
    place = {address: i for i, (address, _) in enumerate(body)}
    spans = []
    for i, (_, text) in enumerate(body):
        if (jump := BRANCH.match(text)) and place.get(int(jump[1], 16), i + 1) <= i:
            spans.append((place[int(jump[1], 16)], i))
    for first, last in spans:
        if not any(first <= a and b <= last and (a, b) != (first, last) for a, b in spans):
            yield [text for _, text in body[first : last + 1]]


def cycles(loop, processor, rounds=200):
    """Of one round of a loop."""
    lines = [re.sub(r"(0x)?[0-9a-f]+\s+<.*$", "again", text) if BRANCH.match(text) or text.startswith("adrp") else text for text in loop]
    found = subprocess.run(
        ["llvm-mca-19", "-mtriple=aarch64-linux-gnu", "-mattr=+all", f"-mcpu={processor}", f"-iterations={rounds}"],
        input="again:\n" + "\n".join(lines) + "\n",
        capture_output=True,
        text=True,
    )
    total = re.search(r"Total Cycles:\s+(\d+)", found.stdout)
    if not total:
        sys.exit(f"llvm-mca-19 does not read this loop: {found.stderr}")
    return int(total[1]) / rounds


def multiply_adds(loop):
    return sum(bool(MULTIPLY_ADD.match(text)) for text in loop)


def of_bytes(loop):
    return sum(OF_BYTES.get(text.split()[0], 0) for text in loop)


def integers_in_a_cycle(path):
    """By format: the rows of the largest block, and the multiply-adds of its best loop on each processor."""
    largest = {kind: (0, [0] * len(INTEGER_PROCESSORS)) for kind in INTEGERS}
    for name, body in functions(path):
        for kind, expression in INTEGERS.items():
            if found := re.search(expression, name):
                of_products = [loop for loop in loops(body) if of_bytes(loop)]
                if of_products:
                    best = [max(of_bytes(loop) / cycles(loop, p) for loop in of_products) for p in INTEGER_PROCESSORS]
                    largest[kind] = max(largest[kind], (int(found[1]), best))
    for kind, (rows, _) in largest.items():
        if rows == 0:
            sys.exit(f"{path} has no product of {kind}")
    return largest


def compare_integers(paths):
    names = [path.split("/")[-1].split(".")[0].removeprefix("fovea_") for path in paths]
    all_found = [integers_in_a_cycle(path) for path in paths]
    print("| product | " + " | ".join(f"{p}, {name}" for p in INTEGER_PROCESSORS for name in names) + " |")
    print("| --- |" + " ---: |" * len(INTEGER_PROCESSORS) * len(names))
    failed = False
    for kind in INTEGERS:
        rates = [[found[kind][1][i] for found in all_found] for i in range(len(INTEGER_PROCESSORS))]
        print(f"| {kind} | " + " | ".join(f"{rate:.0f}" for of_processor in rates for rate in of_processor) + " |")
        failed = failed or any(of_processor != sorted(of_processor) for of_processor in rates)
    return int(failed)


def most_in_a_cycle(processor):
    """Multiply-adds of vectors, by a vector or by one number of it, where none waits for another."""
    chains = 24
    kinds = [[f"fmla v{i}.4s, v30.4s, v31.{by}" for i in range(chains)] for by in ("4s", "s[0]")]
    return max(chains / cycles(kind, processor) for kind in kinds)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("object", nargs="+", help="what is compiled for 64-bit ARM, with its symbols")
    arguments.add_argument("--integers", action="store_true", help="products of integers: multiply-adds in a cycle, object by object")
    arguments.add_argument("--kernel", action="append", help="an expression that names of functions match; else the kernels known here")
    arguments.add_argument("--least", type=float, default=0.9, help="the least share (0.9)")
    arguments.add_argument("--fewest", type=int, default=4, help="loops with fewer multiply-adds are left out (4)")
    options = arguments.parse_args()
    if options.integers:
        return compare_integers(options.object)

    kernels = {expression: expression for expression in options.kernel} if options.kernel else KERNELS
    limits = {processor: most_in_a_cycle(processor) for processor in PROCESSORS}
    best = {kernel: dict.fromkeys(PROCESSORS, 0.0) for kernel in kernels}
    for name, body in (function for path in options.object for function in functions(path)):
        for kernel, expression in kernels.items():
            if not re.search(expression, name):
                continue
            for loop in loops(body):
                count = multiply_adds(loop)
                if count < options.fewest:
                    continue
                for processor, limit in limits.items():
                    best[kernel][processor] = max(best[kernel][processor], count / cycles(loop, processor) / limit)

    print("| kernel | " + " | ".join(PROCESSORS) + " |")
    print("| --- |" + " ---: |" * len(PROCESSORS))
    for kernel, shares in best.items():
        print(f"| {kernel} | " + " | ".join(f"{shares[p]:.2f}" for p in PROCESSORS) + " |")
    least = {kernel: min(options.least, LEAST.get(kernel, options.least)) for kernel in best}
    return int(any(share < least[kernel] for kernel, shares in best.items() for share in shares.values()))


if __name__ == "__main__":
    sys.exit(main())
