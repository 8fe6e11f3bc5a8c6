#include <fovea/programs/tag.hpp>

#include <fovea/programs/labels.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace fovea::programs {
namespace {

/// A label for each token of the text, those that the tokenizer puts around it left out.
class tag_printer final : public text_printer {
public:
  tag_printer(labels names, tokenizer words) : labels_(std::move(names)), words_(std::move(words)) {}

  std::string line(const read_text& text) const override {
    std::string line;
    each(text, [&](std::string_view token, const labels::choice& found) {
      line += fmt::format("{}{}/{}", line.empty() ? "" : " ", token, labels_.name(found.index));
    });
    return line;
  }
  nlohmann::ordered_json members(const read_text& text) const override {
    nlohmann::ordered_json tags = nlohmann::ordered_json::array();
    each(text, [&](std::string_view token, const labels::choice& found) {
      tags.push_back(
          {{"token", token}, {"label", labels_.name(found.index)}, {"probability", found.probability}});
    });
    return {{"tags", tags}};
  }

private:
  template <class F>
  void each(const read_text& text, F found) const {
    const std::vector<token_id> own = words_.encode(text.input.text, {.special = false}).ids;
    const std::size_t width = text.values.size() / text.ids.size();
    // A text that was cut holds the beginning of its own tokens.
    const auto first = static_cast<std::size_t>(
        std::ranges::find_first_of(text.ids, std::span(own).first(std::min<std::size_t>(1, own.size()))) -
        text.ids.begin());
    for (std::size_t i = 0; i < own.size() && first + i < text.ids.size() && text.ids[first + i] == own[i];
         ++i)
      found(words_.token(own[i]),
            labels::best(labels::probabilities(text.values.subspan((first + i) * width, width))));
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
