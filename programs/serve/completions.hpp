#pragma once

#include <fovea/programs/chat_form.hpp>
#include <fovea/programs/options.hpp>
#include <fovea/programs/parts.hpp>
#include <fovea/programs/serve/completion.hpp>
#include <fovea/programs/serve/http_server.hpp>
#include <fovea/programs/serve/request.hpp>
#include <fovea/programs/serve/row_writer.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fovea::programs {

/// The routes /v1/completions and /v1/chat/completions of OpenAI's interface.
class completion_routes {
public:
  struct settings {
    std::size_t context, rows, waiting, piece;
    chat_form chat;
  };

  completion_routes(http_server& server, std::unique_ptr<row_network> network, tokenizer words,
                    const program_parts& parts, settings how);

  /// As Prometheus reads them.
  std::string metrics() const;

private:
  using answers = std::vector<std::shared_ptr<completion>>; // each prompt's texts, one prompt after another

  void answer(const writing_request& asked, bool is_chat, http_server::response& to);
  token_ids prompt_ids(const std::string& text, bool is_chat) const;
  std::optional<token_grammar> grammar_of(const writing_request& asked, bool is_chat);
  answers begin(const writing_request& asked, bool is_chat);

  http_server& server_;
  std::unique_ptr<row_network> network_;
  tokenizer words_;
  std::string model_;
  settings how_;
  token_ids begin_, end_;
  std::once_flag are_spelled_;
  std::optional<token_spellings> spelled_; // once a text is asked for that needs them
  row_writer writer_;
};

} // namespace fovea::programs
