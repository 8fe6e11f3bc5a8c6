#pragma once

#include <fovea/programs/speech_network.hpp>

#include <cstddef>
#include <span>

namespace fovea::programs {

/// A network as a model of the next token that also says, of each text that it begins, how probable it is that nobody speaks.
/// The network lives as long.
class window_reader {
public:
  window_reader(speech_network& network, token_id start, token_id silence)
      : network_(network), start_(start), silence_(silence) {}

  void begin(std::size_t rows);
  /// The first step of a text reads all that it begins with.
  token_scores step(std::span<const token_id> ids);
  void reorder(std::span<const std::size_t> from) { network_.reorder(from); }
  std::size_t most_rows() const { return network_.most_rows(); }

  /// By the scores behind the token that starts a text.
  double no_speech() const { return no_speech_; }

private:
  speech_network& network_;
  token_id start_, silence_;
  bool begun_ = false;
  double no_speech_ = 0;
};

} // namespace fovea::programs
