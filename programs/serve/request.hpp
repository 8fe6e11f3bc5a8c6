#pragma once

#include <fovea/base/error.hpp>
#include <fovea/runtime/chat/chat_template.hpp>
#include <fovea/runtime/decoding/grammar/byte_grammar.hpp>
#include <fovea/runtime/decoding/sampling.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::programs {

/// A request that is refused, with its status of HTTP.
class refused_request : public error {
public:
  refused_request(int status, const std::string& problem) : error(problem), status_(status) {}
  int status() const { return status_; }

private:
  int status_;
};

/// How texts are to be written, of /v1/completions and /v1/chat/completions.
struct writing_request {
  std::vector<std::string> prompts;
  sampling_options how; // `samples` texts of each prompt
  std::size_t most_tokens = 16;
  std::vector<std::string> stops;
  bool streamed = false;
  bool with_usage = false;               // streamed: tell at the end how many tokens there were
  std::optional<byte_grammar> says = {}; // by `response_format`
};

// Each throws refused_request (400) that names the member, what was expected and what was found.

writing_request read_completion(const std::string& body);
/// Its prompt is what the template makes of the messages; what the template does not take is refused with its sentence.
writing_request read_chat(const std::string& body, const chat_template& form);

struct embedding_request {
  std::vector<std::string> texts;
  bool base64 = false;
};
embedding_request read_embeddings(const std::string& body);

struct attention_request {
  std::string text;
  std::size_t layer, head; // from 1; head 0: the mean of a layer's
};
/// `heads`: of each layer.
attention_request read_attention(const std::string& body, std::span<const std::size_t> heads);

} // namespace fovea::programs
