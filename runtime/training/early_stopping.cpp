#include <fovea/runtime/training/early_stopping.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include <fovea/runtime/error.hpp>

namespace fovea {

bool early_stopping::improved(double loss) {
  if (loss < best_) {
    best_ = loss, worse_ = 0;
    return true;
  }
  ++worse_;
  return false;
}

void early_stopping::keep_in(std::map<std::string, std::string>& notes) const {
  std::array<char, 40> exact{};
  std::snprintf(exact.data(), exact.size(), "%a", best_);
  notes["best"] = exact.data();
  notes["worse"] = std::to_string(worse_);
}

void early_stopping::take_from(const std::map<std::string, std::string>& notes) {
  const auto number = [&](const char* name, double least, double most) {
    const auto found = notes.find(name);
    const std::string text = found == notes.end() ? "" : found->second;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value >= least && value <= most))
      throw error("early stopping: expected a number in the note \"" + std::string(name) + "\", found " +
                  (found == notes.end() ? "no such note" : "\"" + text.substr(0, 40) + "\""));
    return value;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double best = number("best", -infinity, infinity), worse = number("worse", 0, 1e9);
  best_ = best, worse_ = static_cast<int>(worse);
}

} // namespace fovea
