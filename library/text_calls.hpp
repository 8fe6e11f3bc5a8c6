#pragma once

#include <fovea/library/pool.hpp>
#include <fovea/programs/labels.hpp>
#include <fovea/programs/next_token_network.hpp>
#include <fovea/programs/parts.hpp>
#include <fovea/programs/tagged_tokens.hpp>
#include <fovea/programs/text_network.hpp>
#include <fovea/programs/text_work.hpp>
#include <fovea/programs/text_writer.hpp>
#include <fovea/programs/translator.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::library {

using programs::program_parts;

/// What a module does with texts, by the word of fovea_add_executable (empty: nothing), and what makes its networks.
struct text_networks {
  std::string app = {};
  programs::text_network_maker reads = nullptr;        // embed, classify, tag
  programs::next_token_network_maker writes = nullptr; // generate, score, translate
};

/// What the programs of fovea_add_executable do with texts, as calls: a class of them for each word. Several threads may call
/// at once: each has a network of its own over the same weights. Each call throws fovea::error that names the text by its
/// number, from 0.
class text_calls {
public:
  /// The tokenizer is that of a file or, where none is named, that which the parts name. `context` is the most tokens of a
  /// text.
  text_calls(const program_parts& parts, text_networks networks, model_weights weights,
             const std::optional<std::string>& tokenizer_file, std::int64_t context, int threads);

  /// Is told of a text that is too long, of which the first tokens are read.
  using notice = std::function<void(const std::string&)>;

  /// A vector of each text, side by side, and how many numbers it has.
  std::pair<std::vector<float>, std::size_t> embed(const std::vector<std::string>& texts, const notice& cut);
  /// Of each text, how probable each label is.
  std::vector<std::vector<std::pair<std::string, double>>> classify(const std::vector<std::string>& texts,
                                                                    const notice& cut);
  /// Of each text, its tokens, each with its label and how probable that is.
  struct tag_of_token {
    std::string token, label;
    double probability;
  };
  std::vector<std::vector<tag_of_token>> tag(const std::vector<std::string>& texts, const notice& cut);
  /// The logarithm of each text's probability after its first token.
  std::vector<double> score(const std::vector<std::string>& texts);
  /// The likeliest translations of each text.
  std::vector<std::vector<std::string>> translate(const std::vector<std::string>& texts,
                                                  const beam_options& how, std::size_t most_tokens);

  /// A text as it is written.
  struct written_text {
    std::shared_ptr<programs::next_token_network> network;
    std::unique_ptr<programs::text_writer> writer;
    bool has_grammar;
  };
  /// With a grammar the text is what that allows.
  written_text generate(const std::string& prompt, const sampling_options& how, std::size_t most_tokens,
                        std::vector<std::string> stops, std::optional<byte_grammar> says = {});

private:
  std::vector<programs::text_work> read(const std::vector<std::string>& texts, bool each_token,
                                        const notice& cut);
  std::shared_ptr<programs::text_network> reader();
  std::shared_ptr<programs::next_token_network> writer(std::size_t rows = 1);
  std::size_t vocabulary();
  const token_spellings& spellings();

  const program_parts& parts_;
  const text_networks networks_;
  const model_weights weights_;
  const std::int64_t context_;
  const int threads_;
  pool<programs::text_network> readers_;
  pool<programs::next_token_network> writers_;
  tokenizer words_;
  std::once_flag are_spelled_;
  std::optional<token_spellings> spelled_; // where a grammar asked for them
};

} // namespace fovea::library
