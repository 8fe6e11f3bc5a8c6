"""What stands in the way where an aim is missed: by program rows (a pattern of their names), what to call them, and a number that
tells. `bench/report.py` shows under a table of aims those of its missed rows. A row that is missed has a reason here, which
tests/bench/report_test.py asks of all machines."""

import typing


class Reason(typing.NamedTuple):
    rows: str
    called: str
    text: str


REASONS = {
    "product": [
        Reason(r"1x.*", "one row", "The weights are read at 0.90 to 1.29 of the bandwidth of the cache that holds them, by two threads of the Zen 3 at 0.81, and by the best peer within a tenth of that."),
        Reason(r"8x768x768", "eight rows", "The best peer and we differ by at most 0.11 on each machine where it is missed: weights come from the second-level cache once for eight rows."),
        Reason(r"16x64x64", "16 rows of 64", "On the Zen 3 the multiplications take 1.3 us at the peak. Twelve blocks of 64 terms begin and end in the rest, 0.12 us each."),
        Reason(r".*", "many rows", "In these rows the best peer and we differ by at most 0.06, both within some hundredths of the peak: no product takes 0.9 of that time."),
    ],
    "attention": [
        Reason(r".*/(f16|q8_0)", "one query, keys in f16 and q8_0", "Arithmetic and the copies to float32 take longer than memory does. 8,192 keys in f16 and q8_0 take 3.0 and 3.3 ms on the Emerald Rapids, where the "
               "bandwidth alone would take 1.1 and 0.6. On the Zen 3 they take 3.4 and 3.2 ms, of which the multiply-adds alone take 1.3."),
        Reason(r".*/1x\d+", "one query", "By AVX2 the arithmetic of 32 heads over 8,192 keys takes 2.0 ms on the Zen 3 with keys in the first-level cache, and the bandwidth 2.4: they overlap in part, and both take 3.7 to 3.9. "
               "Fetching values ahead too, or keys farther, takes as long or longer. Rows of AVX-512 are of the kernels before, which read each head by itself (0.19 to 0.60 of the limit with heads that share keys) "
               "or tiles of the heads in turns (0.71 to 0.78 on the Emerald Rapids)."),
        Reason(r".*", "many queries", "A score has 128 multiply-adds, and 15 operations for its exponential, maximum and sum: the peak leaves 0.89. Causal tiles at the diagonal are computed whole."),
    ],
    "convolution": [
        Reason(r"kim_cnn/.*", "Kim's CNN", "The row is older than the tiles over time of 2026-11-30, which take 0.5 to 0.6 of the multiplications: 0.59 and 0.64 of the best peer's time on the Zen 3."),
        Reason(r"planes/1", "3 x 3", "The row is older than the tiles of 2026-11-29, which take a quarter of the multiplications: a third of ONNX Runtime's time on the Emerald Rapids and the Zen 3."),
        Reason(r"image/1", "7 x 7", "The row is older than its tiles, which take a third of the multiplications: on the Zen 3 1.61 ms in place of 2.70, 0.59 of ONNX Runtime's time."),
        Reason(r"depthwise_planes/1", "depthwise", "The row is older than the kernel for planes of one feature each, which takes 0.44 of ONNX Runtime's time on the Emerald Rapids."),
    ],
    "recurrent": [
        Reason(r"(gru|lstm)/(8|16|24)/sample", "cells of 8 to 24 features", "Each position waits for the one before it. At 8 features on the Zen 3 a load of what was just stored takes 10 cycles, a row of "
               "products 25, a sigmoid 45, a hyperbolic tangent 34 and the rest 10, one behind the other. For an LSTM this chain alone would take 0.74 of RTNeural's time. The rows of the Emerald Rapids, and all before 2026-11-29, are of kernels that "
               "copied states in pieces: an LSTM of 8 took 68 ns on the Zen 3 in place of 52."),
        Reason(r"(gru|lstm)/(32|64)/sample", "cells of 32 and 64 features", "64 features have 48 and 64 KB of weights, more than the 32 KB of a Zen 3's first-level cache. At 32 bytes a cycle reading them takes 0.84 of a GRU's time there. The 12 and 16 KB of 32 features fit: there each position waits for the one before it, as in smaller cells."),
        Reason(r"(gru|lstm)/512x100/1", "one sequence of 512 features", "The weights of a state, 3 and 4 MB, lie in the third-level cache of an AMD, which other machines of the host use too: 53 and 80 GB/s were met within an hour."),
        Reason(r"(gru|lstm)/512x100/32", "32 sequences of 512 features", "At 0.78 to 0.88 of the peak, as the best peer is. Blocks of 32 rows begin and end 100 times."),
    ],
    "amplifiers": [
        Reason(r"wavenet.nam", "the small one", "The network is compiled for SSE2 alone, whatever set is named: for AVX-512 it takes 0.7 us, 0.4 of the peer's time."),
    ],
    "encoder": [
        Reason(r"minilm/.*", "float32", "On the Emerald Rapids 8 x 128 is at 0.75 of the peak by ours and 0.74 by OpenVINO, on the Zen 3 at 0.85 by ours and 0.80 by ONNX Runtime. Products alone are at 0.94, attention of 128 tokens at 0.67 and 0.70; gelu and norms multiply little."),
        Reason(r"minilm-bf16/.*", "bfloat16", "Without AMX and AMD's AVX512_BF16 products are float32's, of rounded rows, at OpenVINO's too: ours are at 0.85 of the peak in float32 on the Zen 3, and take 1.04 to 1.11 of that time in bfloat16. By AMX on the Granite Rapids 8 x 128 takes 0.29 of float32's time, and 0.97 of OpenVINO's: attention, gelu and norms stay float32."),
        Reason(r"minilm-int8/.*", "int8", "Gelu and norms stay float32, and attention of fewer than 128 tokens. Attention of 128 tokens by integers takes 0.85 of float32's time on the Zen 3. The rows of the other machines were measured before it. Of 8 x 128 on the Emerald Rapids attention takes 0.18, products with what follows them 0.79: up (with gelu) 0.34, down 0.22, query, key and value 0.15, the one behind attention 0.08. "
               "On the Zen 5 products take 0.55 to 0.62, at 0.86 of the peak, attention 0.16, gelu 0.06. Rows of AVX2 before 2026-11-28 are older than its sums in 16 bits. By AMX on the Granite Rapids tiles take 0.41 of 8 x 128, a quarter of their peak, attention 0.25, biases with gelu 0.16, rounding 0.12."),
    ],
    "formats": [
        Reason(r".*/f16/token", "a token in float16", "The row is older than the two panels of weights that AVX2 takes at once, by which a token of GPT-2 takes 12.0 ms on the Zen 3 in place of 15.3, and 0.76 of llama.cpp's time."),
    ],
    "streams": [
        Reason(r".*int8>/128", "128 texts at a time in int8", "On the Zen 3 they are 74 thousand million multiply-adds a second, by CTranslate2 59. The products of MiniLM alone reach 72 to 96 there."),
        Reason(r".*/1", "one text at a time", "A token reads each weight once. On the Emerald Rapids 497 MB of GPT-2 in float32 are 15.8 GB/s by ours and 14.4 by llama.cpp, 124 MB in int8 13.7 and 13.1 by CTranslate2: memory bounds both. On the Zen 3 the same 497 MB are 27.8 and 21.5, where a buffer of that size is read at 24.5: caches keep a part."),
    ],
    "today": [
        Reason(r"whisper.*", "Whisper", "By `profile` on the Zen 3 its encoder spends 0.41 in attention at 0.74 of the limit, and its 50 tokens 0.46 in scores of 51,865 words at the limit. The encoder is at 0.87 of the peak, OpenVINO at 0.82."),
        Reason(r"qwen3.*_q4_k/token", "Qwen3 in q4_k", "On the Zen 3 a token is at 0.55 of the bandwidth, in q4_0 at 0.59 and in q8_0 at 0.85: without VNNI the unpacking of four bits and of their scales takes part."),
        Reason(r"modernbert.*", "ModernBERT", "On the Emerald Rapids at 0.64 of the peak, OpenVINO at 0.55: attention of 512 tokens is at 0.71 by itself. On the Zen 3 at 0.92, OpenVINO at 0.84."),
    ],
    "training": [
        Reason(r".*", "a step", "At 0.56 to 0.87 of the peak with one or two threads and 0.39 with sixteen, PyTorch at 0.43 to 0.71 and 0.33. On the Granite Rapids both are at 0.40: its peak is twice that of the Zen 3, at the same time for a step. A step writes most activations and reads them again for the gradients; norms, softmax, gelu and the optimizer multiply little."),
    ],
}
