#include <fovea/programs/serve/embeddings.hpp>

#include <fovea/programs/serve/request.hpp>
#include <fovea/programs/shortest.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fovea::programs {
namespace {

using json = nlohmann::ordered_json;

/// RFC 4648, section 4.
std::string base64_of(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63u];
  }
  return text;
}

} // namespace

embedding_routes::embedding_routes(http_server& server, std::unique_ptr<text_network> network,
                                   tokenizer words, const program_parts& parts, std::size_t context,
                                   std::size_t waiting)
    : network_(std::move(network)), words_(std::move(words)), model_(parts.name), context_(context),
      most_waiting_(waiting), embedder_(*network_, waiting) {
  server.post("/v1/embeddings", [this](const std::string& body, auto& to) { answer(body, to); });
}

void embedding_routes::answer(const std::string& body, http_server::response& to) {
  embedding_request asked = read_embeddings(body);
  std::vector<text_work> work;
  std::size_t tokens = 0;
  for (std::string& text : asked.texts) {
    token_encoding encoded = words_.encode(text);
    const std::string place = asked.texts.size() == 1 ? "input" : fmt::format("input {}", work.size());
    if (encoded.ids.size() == around_) throw refused_request(400, place + ": the text is empty");
    if (encoded.ids.size() > context_)
      throw refused_request(400,
                            fmt::format("{}: expected at most {} tokens, the context of the model; found {}",
                                        place, context_, encoded.ids.size()));
    tokens += encoded.ids.size();
    work.push_back({{std::move(text), place, {}}, std::move(encoded)});
  }
  if (!embedder_.run(work))
    throw refused_request(503, fmt::format("too many texts are waiting; expected at most {}", most_waiting_));
  json data = json::array();
  for (std::size_t i = 0; i < work.size(); ++i) {
    const std::vector<float>& vector = work[i].values;
    json one{{"object", "embedding"}, {"index", i}};
    if (asked.base64)
      one["embedding"] =
          base64_of({reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float)});
    else
      std::ranges::transform(vector, std::back_inserter(one["embedding"] = json::array()), shortest);
    data.push_back(std::move(one));
  }
  http_server::answer_json(to, {{"object", "list"},
                                {"data", std::move(data)},
                                {"model", model_},
                                {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
}

std::string embedding_routes::metrics() const {
  return fmt::format("# TYPE fovea_texts_waiting gauge\nfovea_texts_waiting {}\n", embedder_.waiting());
}

} // namespace fovea::programs
