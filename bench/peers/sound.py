"""Times the rows of bench/sound.cpp in PyTorch and writes them as JSON.

    python bench/peers/sound.py [--threads N] [--json FILE]
"""

import peer
import torch

SIZES = [400, 512, 1024, 2048, 4096]
SAMPLES = 160_000


def log_mel(x, window, filters):
    """As Whisper's own code has it."""
    spectrum = torch.stft(x, n_fft=400, hop_length=160, window=window, return_complex=True)
    logs = torch.clamp(filters @ spectrum[..., :-1].abs() ** 2, min=1e-10).log10()
    return (torch.maximum(logs, logs.max() - 8.0) + 4.0) / 4.0


def rows(options):
    x = torch.randn(SAMPLES)
    for size in SIZES:
        framed = {"n_fft": size, "hop_length": size // 4, "window": torch.hann_window(size)}
        spectrum = torch.stft(x, **framed, return_complex=True)
        yield f"sound/stft/{size}", torch, lambda: torch.stft(x, **framed, return_complex=True), 200
        yield f"sound/istft/{size}", torch, lambda: torch.istft(spectrum, **framed), 200
    window, filters = torch.hann_window(400), torch.rand(80, 201)
    yield "sound/log_mel/400", torch, lambda: log_mel(x, window, filters), 200


if __name__ == "__main__":
    peer.main(__doc__, rows)
