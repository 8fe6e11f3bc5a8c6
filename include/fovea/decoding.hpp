#pragma once

// Decoding: what says the next token, and what is done with it.

#include <fovea/runtime/decoding/beam_search.hpp>
#include <fovea/runtime/decoding/ctc.hpp>
#include <fovea/runtime/decoding/filtered_scores.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/grammar/token_grammar.hpp>
#include <fovea/runtime/decoding/log_probability.hpp>
#include <fovea/runtime/decoding/lookup_draft.hpp>
#include <fovea/runtime/decoding/model_draft.hpp>
#include <fovea/runtime/decoding/rnnt.hpp>
#include <fovea/runtime/decoding/rnnt_network.hpp>
#include <fovea/runtime/decoding/saved_reader.hpp>
#include <fovea/runtime/decoding/speculate.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>
#include <fovea/runtime/decoding/token_table.hpp>
#include <fovea/runtime/decoding/viterbi.hpp>
#include <fovea/runtime/decoding/whisper_rules.hpp>
#include <fovea/runtime/decoding/whole_prefix.hpp>
#include <fovea/runtime/ngram/reader.hpp>
