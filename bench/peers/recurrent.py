"""Times the layers of bench/recurrent.cpp in PyTorch, AOTInductor, ONNX Runtime and OpenVINO and writes them as JSON.

    python bench/peers/recurrent.py [--threads N] [--json FILE]

Needs torch and onnx; a peer that is not installed has no rows.
"""

import peer
import runtimes
import torch
from torch import nn


class Outputs(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network(x)[0]


def modules():
    """Name, module and shape of the input."""
    for batch in (1, 32):
        yield f"recurrent/lstm/512x100/{batch}", Outputs(nn.LSTM(512, 512, batch_first=True)), (batch, 100, 512)
        yield f"recurrent/gru/512x100/{batch}", Outputs(nn.GRU(512, 512, batch_first=True)), (batch, 100, 512)


def rows(options):
    for name, module, shape in modules():
        for timed, run in runtimes.runs_of(module.eval(), torch.randn(shape), options.threads):
            yield name, timed, run, 40 if shape[0] == 1 else 8


if __name__ == "__main__":
    peer.main(__doc__, rows)
