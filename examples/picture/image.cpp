#include "image.hpp"

#include "image_formats.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/regular_file.hpp>

#include <new>
#include <span>

namespace picture {
namespace {

constexpr std::string_view png = "\x89PNG\r\n\x1a\n", jpeg = "\xff\xd8\xff";

bool begins_portable_map(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && (bytes[1] == '5' || bytes[1] == '6') &&
         std::string_view(" \t\r\n#").find(bytes[2]) != std::string_view::npos;
}

} // namespace

void image_bytes::check_size(std::size_t width, std::size_t height) const {
  if (width == 0 || height == 0 || width > most_pixels / height)
    throw fovea::error(name + ": expected a picture of 1 to " + std::to_string(most_pixels) +
                       " pixels, found " + std::to_string(width) + " x " + std::to_string(height));
}

bool begins_image(std::string_view bytes) {
  return bytes.starts_with(png) || bytes.starts_with(jpeg) || begins_portable_map(bytes);
}

image read_image(std::string_view bytes, const std::string& name, std::size_t most_pixels) {
  const image_bytes from{bytes, name, most_pixels};
  if (bytes.starts_with(png)) return read_png(from);
  if (bytes.starts_with(jpeg)) return read_jpeg(from);
  if (begins_portable_map(bytes)) return read_portable_map(from);
  throw fovea::error(name + ": expected a picture as PNG, JPEG, PPM or PGM");
}

image read_image(const std::filesystem::path& file) { return read_image(bytes_of(file), file.string()); }

std::string bytes_of(const std::filesystem::path& file) {
  const fovea::core::regular_file from(file);
  std::string bytes;
  try {
    bytes.resize(from.size());
  } catch (const std::bad_alloc&) {
    fovea::core::refuse_memory(file);
  }
  from.read(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

} // namespace picture
