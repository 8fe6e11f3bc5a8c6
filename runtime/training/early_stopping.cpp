#include <fovea/runtime/training/early_stopping.hpp>

#include <array>
#include <cstdio>

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
  best_ = std::stod(notes.at("best"));
  worse_ = std::stoi(notes.at("worse"));
}

} // namespace fovea
