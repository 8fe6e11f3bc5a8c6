"""Times the rows of bench/sound.cpp in PyTorch and writes them as JSON.

    python bench/peers/sound.py [--threads N] [--json FILE]
"""

import peer
import torch

SIZES = [400, 512, 1024, 2048, 4096]
SAMPLES = 160_000


def rows(options):
    x = torch.randn(SAMPLES)
    for size in SIZES:
        framed = {"n_fft": size, "hop_length": size // 4, "window": torch.hann_window(size)}
        spectrum = torch.stft(x, **framed, return_complex=True)
        yield f"sound/stft/{size}", torch, lambda: torch.stft(x, **framed, return_complex=True), 200
        yield f"sound/istft/{size}", torch, lambda: torch.istft(spectrum, **framed), 200


if __name__ == "__main__":
    peer.main(__doc__, rows)
