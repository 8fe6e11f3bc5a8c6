#pragma once

#include <fovea/base/error.hpp>
#include <fovea/dsl/dim.hpp>

#include <cstdint>
#include <string>

namespace fovea::core {

/// A capacity above what the model allows, as the rows of a table of positions bound a text.
class capacity_error : public error {
public:
  capacity_error(const std::string& model, const dim_size& asked, std::int64_t most)
      : error(model + ": capacity of " + asked.symbol.name() + ": the model allows at most " +
              std::to_string(most) + ", found " + std::to_string(asked.size)),
        asked_(asked), most_(most) {}

  const dim_size& asked() const { return asked_; }
  std::int64_t most() const { return most_; }

private:
  dim_size asked_;
  std::int64_t most_;
};

} // namespace fovea::core
