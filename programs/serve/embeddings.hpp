#pragma once

#include <fovea/programs/parts.hpp>
#include <fovea/programs/serve/http_server.hpp>
#include <fovea/programs/serve/text_embedder.hpp>

#include <memory>
#include <string>

namespace fovea::programs {

/// The route /v1/embeddings of OpenAI's interface.
class embedding_routes {
public:
  embedding_routes(http_server& server, std::unique_ptr<text_network> network, tokenizer words,
                   const program_parts& parts, std::size_t context, std::size_t waiting);

  /// As Prometheus reads them.
  std::string metrics() const;

private:
  void answer(const std::string& body, http_server::response& to);

  std::unique_ptr<text_network> network_;
  tokenizer words_;
  std::string model_;
  std::size_t context_, most_waiting_;
  std::size_t around_ = words_.encode("").ids.size(); // tokens that the tokenizer puts around a text
  text_embedder embedder_;
};

} // namespace fovea::programs
