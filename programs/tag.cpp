#include <fovea/programs/tag.hpp>

#include <fovea/programs/labels.hpp>
#include <fovea/programs/tagged_tokens.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace fovea::programs {
namespace {

class tag_printer final : public text_printer {
public:
  tag_printer(labels names, tokenizer words) : labels_(std::move(names)), words_(std::move(words)) {}

  std::string line(const read_text& text) const override {
    std::string line;
    for (const tagged_token& t : tags_of(text))
      line += fmt::format("{}{}/{}", line.empty() ? "" : " ", t.token, labels_.name(t.label.index));
    return line;
  }
  nlohmann::ordered_json members(const read_text& text) const override {
    nlohmann::ordered_json tags = nlohmann::ordered_json::array();
    for (const tagged_token& t : tags_of(text))
      tags.push_back(
          {{"token", t.token}, {"label", labels_.name(t.label.index)}, {"probability", t.label.probability}});
    return {{"tags", tags}};
  }

private:
  std::vector<tagged_token> tags_of(const read_text& text) const {
    return tagged_tokens(text.input.text, words_, text.ids, text.values);
  }

  labels labels_;
  tokenizer words_;
};

} // namespace

int tag(text_network_maker network, const program_parts& parts, int count, char** words) {
  const text_printer_maker printer = [](const program_parts& of, const tokenizer& tokens,
                                        std::size_t width) -> std::unique_ptr<text_printer> {
    return std::make_unique<tag_printer>(labels(of.labels, width), tokens);
  };
  return over_texts("Prints the label of each token of each text.", parts, network, printer, true, count,
                    words);
}

} // namespace fovea::programs
