#include <fovea/programs/shard.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>

#include <charconv>
#include <string_view>
#include <system_error>

namespace fovea::programs {
namespace {

bool read_number(std::string_view text, std::size_t& to) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), to);
  return problem == std::errc() && end == text.data() + text.size();
}

} // namespace

shard shard_of(const std::string& text) {
  const std::string_view all = text;
  const std::size_t at = all.find('/');
  shard part;
  if (at == std::string_view::npos || !read_number(all.substr(0, at), part.index) ||
      !read_number(all.substr(at + 1), part.count) || part.count == 0 || part.index > part.count)
    throw error("--shard: expected I/N, worker I of N, where I is from 0 or 1 to N; found " +
                core::in_quotes(text));
  return part;
}

} // namespace fovea::programs
