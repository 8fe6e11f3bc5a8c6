#pragma once

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/sampling.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
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
  bool with_usage = false; // streamed: tell at the end how many tokens there were
};

/// What turns the messages of a chat into the text that a model was trained on.
enum class chat_format { plain, chatml, llama2, llama3 };
chat_format chat_format_of(const std::string& name);

// Each throws refused_request (400) that names the member, what was expected and what was found.

writing_request read_completion(const std::string& body);
writing_request read_chat(const std::string& body, chat_format format);

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
