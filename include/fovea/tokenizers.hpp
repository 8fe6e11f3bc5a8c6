#pragma once

// Tokenizers: loaded, trained and saved.

#include <fovea/runtime/tokenizers/save_tokenizer.hpp>
#include <fovea/runtime/tokenizers/text_stream.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/runtime/tokenizers/tokenizer_trainer.hpp>
