# What each program generate_NAME is built from beside generate/configurations/NAME.hpp (fovea_add_executable). Numbers that
# weights may say of themselves have other names in llama2.c's files and in GGUF.
set(learned ${CMAKE_CURRENT_SOURCE_DIR}/generate/learned)
set(generate_stories260K
    CONTEXT 512 BEGIN "<s>" END "<s>" "</s>"
    METADATA n_heads=8 llama.attention.head_count=8 llama.attention.layer_norm_rms_epsilon=1e-5 llama.rope.freq_base=10000
)
set(generate_gpt2
    CONTEXT 1024 BEGIN "<|endoftext|>" END "<|endoftext|>"
    METADATA gpt2.attention.head_count=12 gpt2.attention.layer_norm_epsilon=1e-5
)
# Characters, of which the first ends a line.
set(generate_gpt_small
    CONTEXT 64 BEGIN "\n"
    WEIGHTS ${learned}/gpt_small/weights.safetensors TOKENIZER ${learned}/gpt_small/tokenizer.json EMBED
)
set(generate_gpt_large CONTEXT 256 BEGIN "\n")
