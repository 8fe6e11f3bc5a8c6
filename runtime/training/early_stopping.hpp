#pragma once

#include <limits>
#include <map>
#include <string>

namespace fovea::core {

/// Says when a loss on held-out data has stopped falling (Prechelt 1998, "Early stopping - but when?"): after
/// `patience` evaluations in a row that were no better than the best. 0: never.
class early_stopping {
public:
  explicit early_stopping(int patience = 0) : patience_(patience) {}

  /// Whether this is the best so far; NaN never is.
  bool improved(double loss);
  bool stop() const { return patience_ > 0 && worse_ >= patience_; }
  /// Infinity before the first evaluation.
  double best() const { return best_; }

  /// What of it belongs into a checkpoint's notes, exactly.
  void keep_in(std::map<std::string, std::string>& notes) const;
  /// Throws fovea::error, having taken nothing, where a note is missing or no number.
  void take_from(const std::map<std::string, std::string>& notes);

private:
  int patience_, worse_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::early_stopping;
} // namespace fovea
