"""Times a step of DistributedDataParallel over gloo in PyTorch: a GPT as that of bench/training.cpp, processes of one thread
each that learn from a batch together; and one process with as many threads.

    python bench/peers/distributed.py --ranks 2 --batch 12 [--size small] [--steps 60]

Prints the seconds of a step. Needs torch, and what bench/peers/requirements.txt has besides.
"""

import argparse
import os
import statistics
import time

import torch
import torch.distributed
import torch.multiprocessing
from torch.nn.parallel import DistributedDataParallel
from training import GPT

SIZES = {"tiny": (1, 2, 16, 256, 16), "small": (4, 4, 128, 256, 64), "large": (6, 6, 384, 256, 256)}
WARM, BLOCK = 5, 5


def learn(rank, ranks, threads, a, to):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    module = model = GPT(*SIZES[a.size])
    if ranks > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
        torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
        module = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters())
    shape = (a.batch // ranks, SIZES[a.size][4])
    tokens, targets = torch.randint(65, shape), torch.randint(65, shape)
    at = []
    for _ in range(a.steps):
        optimizer.zero_grad(set_to_none=True)
        module(tokens, targets).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        at.append(time.perf_counter())
    if rank == 0:
        to.put(statistics.median((at[i + BLOCK] - at[i]) / BLOCK for i in range(WARM, len(at) - BLOCK, BLOCK)))
    if ranks > 1:
        torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--steps", type=int, default=60)
    a = parser.parse_args()
    context = torch.multiprocessing.get_context("spawn")
    to = context.SimpleQueue()
    torch.multiprocessing.spawn(learn, (a.ranks, a.threads, a, to), nprocs=a.ranks)
    print(to.get())


if __name__ == "__main__":
    main()
