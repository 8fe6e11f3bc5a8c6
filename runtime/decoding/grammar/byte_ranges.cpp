#include <fovea/runtime/decoding/grammar/byte_ranges.hpp>

#include <algorithm>
#include <cstddef>

namespace fovea::core::grammar {
namespace {

class between {
public:
  between(unsigned char least, unsigned char most, std::vector<byte_ranges>& made)
      : least_(least), most_(most), made_(made) {}

  /// From byte `at` on; `begun` leads there.
  void append(const std::string& low, const std::string& high, std::size_t at, const byte_ranges& begun) {
    auto first = static_cast<unsigned char>(low[at]), last = static_cast<unsigned char>(high[at]);
    const std::size_t next = at + 1, size = low.size();
    if (next < size && first == last) return go_on(first, low, high, next, begun);
    if (!is_all(low, least_, next))
      go_on(first++, low, std::string(size, static_cast<char>(most_)), next, begun);
    const bool has_rest = !is_all(high, most_, next);
    if (has_rest) --last;
    if (first <= last) {
      made_.push_back(begun);
      made_.back().emplace_back(first, last);
      made_.back().resize(size, {least_, most_});
    }
    if (has_rest)
      go_on(static_cast<unsigned char>(last + 1), std::string(size, static_cast<char>(least_)), high, next,
            begun);
  }

private:
  static bool is_all(const std::string& text, unsigned char byte, std::size_t from) {
    return text.find_first_not_of(static_cast<char>(byte), from) == std::string::npos;
  }
  void go_on(unsigned char byte, const std::string& low, const std::string& high, std::size_t next,
             byte_ranges begun) {
    begun.emplace_back(byte, byte);
    append(low, high, next, begun);
  }

  unsigned char least_, most_;
  std::vector<byte_ranges>& made_;
};

} // namespace

void append_between(const std::string& low, const std::string& high, unsigned char least, unsigned char most,
                    std::vector<byte_ranges>& made) {
  between(least, most, made).append(low, high, 0, {});
}

} // namespace fovea::core::grammar
