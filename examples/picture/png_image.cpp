#include "image_formats.hpp"

#include <fovea/base/error.hpp>

#include <png.h>

#include <algorithm>
#include <utility>

namespace picture {
namespace {

/// What libpng's functions share. It lives outside the function that they may leave by a long jump.
struct reading {
  const image_bytes& given;
  std::string_view rest;
  image made{};
  std::vector<png_bytep> rows{};
  std::string problem{};
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit reading(const image_bytes& from) : given(from), rest(from.bytes) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) throw fovea::error(from.name + ": there is not enough memory to read this picture");
    png_set_read_fn(png, this, on_read);
  }
  ~reading() { png_destroy_read_struct(&png, &info, nullptr); }
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;

  [[noreturn]] static void on_error(png_structp png, png_const_charp what) {
    static_cast<reading*>(png_get_error_ptr(png))->problem = what;
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
  static void on_read(png_structp png, png_bytep to, std::size_t count) {
    std::string_view& rest = static_cast<reading*>(png_get_io_ptr(png))->rest;
    if (count > rest.size()) png_error(png, "the file ends before its picture does");
    std::copy_n(rest.data(), count, reinterpret_cast<char*>(to));
    rest.remove_prefix(count);
  }
};

/// Every kind as red, green and blue of 8 bits.
void choose_rgb(const reading& from) {
  png_set_expand(from.png); // palettes, and grey of fewer bits
  png_set_strip_16(from.png);
  png_set_gray_to_rgb(from.png);
  png_set_strip_alpha(from.png);
  png_set_interlace_handling(from.png);
  png_read_update_info(from.png, from.info);
}

/// False where libpng has found a problem.
bool read(reading& from) {
  if (setjmp(png_jmpbuf(from.png))) return false;
  png_read_info(from.png, from.info);
  from.made.width = png_get_image_width(from.png, from.info);
  from.made.height = png_get_image_height(from.png, from.info);
  from.given.check_size(from.made.width, from.made.height);
  choose_rgb(from);
  if (png_get_rowbytes(from.png, from.info) != 3 * from.made.width)
    png_error(from.png, "the picture has no form as red, green and blue");
  from.made.rgb.resize(3 * from.made.width * from.made.height);
  from.rows.resize(from.made.height);
  for (std::size_t y = 0; y < from.made.height; ++y)
    from.rows[y] = from.made.rgb.data() + 3 * from.made.width * y;
  png_read_image(from.png, from.rows.data());
  return true;
}

} // namespace

image read_png(const image_bytes& given) {
  reading from(given);
  if (!read(from)) throw fovea::error(given.name + ": the PNG is damaged: " + from.problem);
  return std::move(from.made);
}

} // namespace picture
