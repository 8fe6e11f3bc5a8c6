#include <fovea/runtime/training/early_stopping.hpp>

#include <fovea/runtime/training/note_numbers.hpp>

namespace fovea::core {

bool early_stopping::improved(double loss) {
  if (loss < best_) {
    best_ = loss, worse_ = 0;
    return true;
  }
  ++worse_;
  return false;
}

void early_stopping::keep_in(std::map<std::string, std::string>& notes) const {
  notes["best"] = exact_text(best_);
  notes["worse"] = std::to_string(worse_);
}

void early_stopping::take_from(const std::map<std::string, std::string>& notes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double best = number_in_note(notes, "best", "early stopping", -infinity, infinity),
               worse = number_in_note(notes, "worse", "early stopping", 0, 1e9);
  best_ = best, worse_ = static_cast<int>(worse);
}

} // namespace fovea::core
