#include "image_formats.hpp"

#include <fovea/base/error.hpp>

#ifdef FOVEA_WITH_JPEG

#include <cstdio> // which jpeglib.h needs before it

#include <jpeglib.h>

#include <jerror.h>

#include <array>
#include <csetjmp>
#include <utility>

namespace picture {
namespace {

/// What libjpeg's functions share. It lives outside the function that they may leave by a long jump.
struct reading {
  const image_bytes& given;
  image made{};
  std::vector<std::uint8_t> inks{}; // of a row of cyan, magenta, yellow and black
  std::string problem{};
  std::jmp_buf out{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  jpeg_decompress_struct jpeg{};

  explicit reading(const image_bytes& from) : given(from) {
    jpeg.err = jpeg_std_error(&errors);
    errors.error_exit = on_error;
    errors.emit_message = on_message;
    jpeg.client_data = this;
    progress.progress_monitor = on_progress;
  }
  ~reading() { jpeg_destroy_decompress(&jpeg); }
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;

  [[noreturn]] static void on_error(j_common_ptr jpeg) {
    auto& from = *static_cast<reading*>(jpeg->client_data);
    std::array<char, JMSG_LENGTH_MAX> text{};
    jpeg->err->format_message(jpeg, text.data());
    from.problem = text.data();
    std::longjmp(from.out, 1);
  }
  /// libjpeg fills up what is missing with grey, and warns.
  static void on_message(j_common_ptr jpeg, int) {
    if (jpeg->err->msg_code == JWRN_JPEG_EOF) on_error(jpeg);
  }
  /// A scan of few bytes costs as much as one of many: a small file could take hours.
  static void on_progress(j_common_ptr jpeg) {
    constexpr int most_scans = 100; // cameras and programs write a dozen at most
    auto& from = *static_cast<reading*>(jpeg->client_data);
    if (from.jpeg.input_scan_number <= most_scans) return;
    from.problem = "it has more than " + std::to_string(most_scans) + " scans";
    std::longjmp(from.out, 1);
  }
};

/// A row of inks as red, green and blue. Each ink counts what it leaves of the paper, as Adobe's programs write it.
void put_rgb(const reading& from, std::uint8_t* to) {
  for (std::size_t x = 0; x < from.made.width; ++x) {
    const std::uint8_t* left = &from.inks[4 * x];
    for (std::size_t c = 0; c < 3; ++c)
      to[3 * x + c] = static_cast<std::uint8_t>((left[c] * left[3] + 127) / 255);
  }
}

/// False where libjpeg has found a problem.
bool read(reading& from) {
  if (setjmp(from.out)) return false;
  jpeg_decompress_struct& jpeg = from.jpeg;
  jpeg_create_decompress(&jpeg);
  jpeg.progress = &from.progress;
  const std::string_view bytes = from.given.bytes;
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  from.made.width = jpeg.image_width, from.made.height = jpeg.image_height;
  from.given.check_size(from.made.width, from.made.height);
  jpeg.out_color_space = jpeg.num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&jpeg);
  from.made.rgb.resize(3 * from.made.width * from.made.height);
  if (jpeg.out_color_space == JCS_CMYK) from.inks.resize(4 * from.made.width);
  while (jpeg.output_scanline < jpeg.output_height) {
    std::uint8_t* const row = from.made.rgb.data() + 3 * from.made.width * jpeg.output_scanline;
    std::uint8_t* to = from.inks.empty() ? row : from.inks.data();
    jpeg_read_scanlines(&jpeg, &to, 1);
    if (!from.inks.empty()) put_rgb(from, row);
  }
  return true;
}

} // namespace

image read_jpeg(const image_bytes& given) {
  reading from(given);
  if (!read(from)) throw fovea::error(given.name + ": the JPEG is damaged: " + from.problem);
  return std::move(from.made);
}

} // namespace picture

#else

picture::image picture::read_jpeg(const image_bytes& given) {
  throw fovea::error(given.name +
                     ": a JPEG cannot be read: the program was built without libjpeg (Debian: libjpeg-dev)");
}

#endif
