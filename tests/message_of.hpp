#pragma once

#include <string>

/// What `f` throws, as text; "" when it throws nothing.
template <typename exception, typename function>
std::string message_of(function f) {
  try {
    f();
  } catch (const exception& e) {
    return e.what();
  }
  return "";
}
