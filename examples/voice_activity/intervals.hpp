#pragma once

#include <picture/speech.hpp>

#include <optional>

namespace voice_activity_program {

/// When speech begins and ends.
struct interval_options {
  double threshold = 0.5;       // speech begins where it is at least so likely
  double hysteresis = 0.15;     // and ends where it is less likely than the threshold by more than that
  double minimum_speech = 0.25; // seconds; what is shorter is dropped
  double minimum_silence = 0.1; // seconds; a pause that is shorter does not end speech
  double padding = 0.03;        // seconds around speech
};

/// Finds intervals of speech in probabilities as they arrive, by the rule of Silero's own scripts.
class interval_finder {
public:
  /// `step`: seconds from one probability to the next.
  interval_finder(const interval_options& options, double step) : options_(options), step_(step) {}

  /// The next probability; an interval, where one is sure to have ended.
  std::optional<picture::span_of_time> push(double probability);
  /// At the end of the recording, `seconds` long: the interval that has not ended before.
  std::optional<picture::span_of_time> finish(double seconds);

private:
  std::optional<picture::span_of_time> closed(double begin, double end, double last);

  interval_options options_;
  double step_, now_ = 0, after_last_ = 0;
  std::optional<double> begun_, quiet_; // since when somebody speaks, and since when they pause
};

} // namespace voice_activity_program
