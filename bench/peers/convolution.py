"""Times the rows of bench/convolution.cpp in PyTorch, AOTInductor, ONNX Runtime and OpenVINO and writes them as JSON.

    python bench/peers/convolution.py [--threads N] [--json FILE]

All get their own layout, channels before time and planes. Needs torch and onnx; a peer that is not installed has no rows.
"""

import peer
import runtimes
import torch
from torch import nn


class KimCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(64, 100, width) for width in (3, 4, 5)])
        self.linear = nn.Linear(300, 2)

    def forward(self, x):
        return self.linear(torch.cat([torch.relu(conv(x)).amax(2) for conv in self.convs], 1))


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(64, 64, 3, dilation=8)

    def forward(self, x):
        return torch.relu(self.conv(nn.functional.pad(x, (16, 0))))


def modules():
    """Name, module and shape of the input."""
    yield "kim_cnn/1", KimCnn(), (1, 64, 128)
    yield "kim_cnn/32", KimCnn(), (32, 64, 128)
    yield "plain/1", nn.Sequential(nn.Conv1d(128, 128, 3, padding=1), nn.ReLU()), (1, 128, 512)
    yield "dilated/1", Causal(), (1, 64, 1024)
    yield "depthwise/1", nn.Conv1d(512, 512, 31, padding=15, groups=512), (1, 512, 256)
    yield "doubled/1", nn.ConvTranspose1d(256, 128, 4, 2, 1), (1, 256, 256)
    block = nn.Sequential(nn.Conv2d(64, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU())
    yield "planes/1", block, (1, 64, 56, 56)
    yield "image/1", nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3), nn.ReLU()), (1, 3, 224, 224)
    yield "depthwise_planes/1", nn.Sequential(nn.Conv2d(128, 128, 3, padding=1, groups=128), nn.ReLU()), (1, 128, 56, 56)
    yield "pooled/1", nn.MaxPool2d(3, 2, 1), (1, 64, 112, 112)
    yield "halved/1", nn.Sequential(nn.Conv2d(128, 256, 3, 2, 1), nn.ReLU()), (1, 128, 28, 28)
    yield "speech/1", nn.Sequential(nn.Conv1d(512, 512, 3, 2, bias=False), nn.GELU()), (1, 512, 801)


def rows(options):
    for name, module, shape in modules():
        for timed, run in runtimes.runs_of(module.eval(), torch.randn(shape), options.threads):
            yield "convolution/" + name, timed, run, 40 if shape[0] > 1 else 400


if __name__ == "__main__":
    peer.main(__doc__, rows)
