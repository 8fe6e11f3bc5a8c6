#pragma once

#include <cstdint>

namespace fovea::core {

/// What a program does beside the calls of its nets, for who reads times: a trace (FOVEA_PROFILE) shows it.
///   name        a text that stays
///   begin, end  of span_clock()
///   alone       the thread does nothing else meanwhile; what is not may overlap others, and has a row of its own
struct told_span {
  const char* name;
  std::int64_t begin, end;
  bool alone;
};

/// Nanoseconds since some time before.
std::int64_t span_clock();
bool spans_are_wanted();
void tell(const told_span& span);

} // namespace fovea::core
