#include <fovea/programs/embed.hpp>

#include <fovea/programs/shortest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace fovea::programs {
namespace {

class vector_printer final : public text_printer {
public:
  std::string line(const read_text& text) const override {
    return fmt::format("{}", fmt::join(text.values, " "));
  }
  nlohmann::ordered_json members(const read_text& text) const override {
    std::vector<double> numbers(text.values.size());
    std::ranges::transform(text.values, numbers.begin(), shortest);
    return {{"vector", numbers}};
  }
};

} // namespace

int embed(text_network_maker network, const program_parts& parts, int count, char** words) {
  const text_printer_maker printer = [](const program_parts&, const tokenizer&,
                                        std::size_t) -> std::unique_ptr<text_printer> {
    return std::make_unique<vector_printer>();
  };
  return over_texts("Prints a vector for each text.", parts, network, printer, false, count, words);
}

} // namespace fovea::programs
