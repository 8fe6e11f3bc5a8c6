#pragma once

namespace training {

/// While this lives, SIGINT and SIGTERM are only noted, so that work stops where it can be gone on with. A
/// second one ends the process at once.
class interruption {
public:
  interruption();
  ~interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

  /// The signal that has come; 0: none.
  static int signal();
};

} // namespace training
