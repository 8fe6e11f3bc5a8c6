#pragma once

#include <fovea/base/error.hpp>

#include <string>

namespace fovea::core {

/// Messages that a template does not take: what it gives to `raise_exception`, or what it does not find in them.
class chat_error : public error {
public:
  /// `place` is the template's name and line.
  chat_error(const std::string& place, const std::string& sentence)
      : error(place + ": " + sentence), sentence_(sentence) {}
  /// Without the place.
  const std::string& sentence() const { return sentence_; }

private:
  std::string sentence_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::chat_error;
} // namespace fovea
