#include <fovea/weights/byte_cursor.hpp>

#include <fovea/base/error.hpp>

namespace fovea::core {

std::span<const std::byte> byte_cursor::take(std::size_t size, std::string_view what) {
  if (size > left())
    fail("the file is cut short: expected " + std::to_string(size) + " bytes of " + std::string(what) +
         " at byte " + std::to_string(at_) + "; found " + std::to_string(left()));
  at_ += size;
  return file_.subspan(at_ - size, size);
}

void byte_cursor::fail(const std::string& what) const { throw error(source_ + ": " + what); }

} // namespace fovea::core
