#include <fovea/programs/classify.hpp>

#include <fovea/programs/labels.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fovea::programs {
namespace {

class label_printer final : public text_printer {
public:
  explicit label_printer(labels names) : labels_(std::move(names)) {}

  std::string line(const read_text& text) const override {
    const labels::choice found = labels::best(labels::probabilities(text.values));
    return fmt::format("{}  {:.3f}  {}", labels_.name(found.index), found.probability, text.input.text);
  }
  nlohmann::ordered_json members(const read_text& text) const override {
    const std::vector<double> shares = labels::probabilities(text.values);
    nlohmann::ordered_json all;
    for (std::size_t i = 0; i < shares.size(); ++i) all[labels_.name(i)] = shares[i];
    return {{"label", labels_.name(labels::best(shares).index)}, {"probabilities", all}};
  }

private:
  labels labels_;
};

} // namespace

int classify(text_network_maker network, const program_parts& parts, int count, char** words) {
  const text_printer_maker printer = [](const program_parts& of, const tokenizer&,
                                        std::size_t width) -> std::unique_ptr<text_printer> {
    return std::make_unique<label_printer>(labels(of.labels, width));
  };
  return over_texts("Prints the label of each text.", parts, network, printer, false, count, words);
}

} // namespace fovea::programs
