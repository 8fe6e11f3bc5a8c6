#include <fovea/programs/shard.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/read_number.hpp>

#include <string_view>
#include <system_error>

namespace fovea::programs {

shard shard_of(const std::string& text) {
  const std::string_view all = text;
  const std::size_t at = all.find('/');
  shard part;
  if (at == std::string_view::npos || core::read_number(all.substr(0, at), part.index) != std::errc() ||
      core::read_number(all.substr(at + 1), part.count) != std::errc() || part.count == 0 ||
      part.index > part.count)
    throw error("--shard: expected I/N, worker I of N, where I is from 0 or 1 to N; found " +
                core::in_quotes(text));
  return part;
}

} // namespace fovea::programs
