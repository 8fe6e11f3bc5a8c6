#pragma once

#include <fovea/programs/attention_network.hpp>
#include <fovea/programs/parts.hpp>
#include <fovea/programs/serve/http_server.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

namespace fovea::programs {

/// The route /v1/attention: which tokens of a text a head looks at. The network that tells is made when the first asks.
class attention_routes {
public:
  struct of_model {
    attention_network_maker maker;
    model_weights weights;
    std::span<const name_rule> names; // of its weights in checkpoints
  };
  /// The most tokens of a text: a map of more is none that one could read, and memory grows with their square.
  static constexpr std::size_t most_tokens = 128;

  attention_routes(http_server& server, of_model model, tokenizer words, const program_parts& parts,
                   std::size_t context, int threads);

private:
  void answer(const std::string& body, http_server::response& to);
  std::vector<float> map_of(const token_encoding& text, std::size_t layer, std::size_t head);
  std::string spelled(token_id id) const;

  of_model model_;
  tokenizer words_;
  std::string name_;
  std::size_t most_; // tokens of a text
  int threads_;
  std::size_t around_ = words_.encode("").ids.size(); // tokens that the tokenizer puts around a text
  std::mutex mutex_;                                  // of what follows
  std::unique_ptr<attention_network> network_;
};

} // namespace fovea::programs
