#include <fovea/weights/weight_file.hpp>

#include <fovea/base/error.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/llama2c.hpp>
#include <fovea/weights/rtneural.hpp>
#include <fovea/weights/rwkv_cpp.hpp>
#include <fovea/weights/safetensors.hpp>
#include <fovea/weights/word_vectors.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <new>
#include <numeric>

namespace fovea::core {
namespace {

weight_file read_safetensors(const opened_file& file) {
  const safetensors_file read(file.path, file.mapped);
  return {read.tensors(), read.metadata(), file.mapped};
}

weight_file read_gguf(const opened_file& file) {
  const gguf_file read(file.path, file.mapped);
  return {{read.tensors().begin(), read.tensors().end()}, read.metadata().as_texts(), file.mapped};
}

struct format {
  std::string_view name;
  bool (*recognises)(std::span<const std::byte> file);
  weight_file (*read)(const opened_file& file);
};

// Those with a magic number first; the first that recognises a file reads it.
constexpr std::array formats{format{"GGUF", is_gguf, read_gguf},
                             format{"rwkv.cpp", is_rwkv_cpp, read_rwkv_cpp},
                             format{"llama2.c", is_llama2c, read_llama2c},
                             format{"safetensors", is_safetensors, read_safetensors},
                             format{"RTNeural", is_rtneural, read_rtneural},
                             format{"word vectors", is_word_vectors, read_word_vectors}};

const format* format_of(std::span<const std::byte> file) {
  const auto found = std::ranges::find_if(formats, [&](const format& one) { return one.recognises(file); });
  return found == formats.end() ? nullptr : &*found;
}

} // namespace

float* weight_file::add(const std::string& name, std::vector<std::size_t> shape) {
  const std::size_t count = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(float)) throw std::bad_alloc();
  const auto buffer = std::make_shared<packed>(count);
  tensors[name] = {element_type::f32, std::move(shape),
                   std::as_bytes(std::span(std::as_const(*buffer).data(), buffer->size()))};
  kept.push_back(buffer);
  return buffer->data();
}

weight_file open_weight_file(const file_path& path, load_options how) {
  return read_weight_file({path, std::make_shared<const mapped_file>(path, how)});
}

std::string_view weight_format_name(std::span<const std::byte> file) {
  const format* known = format_of(file);
  return known == nullptr ? std::string_view() : known->name;
}

weight_file read_weight_file(const opened_file& file) {
  if (const format* known = format_of(file.bytes())) return known->read(file);
  // These say what is wrong with a file that should be theirs.
  if (std::filesystem::path(file.path).extension() == ".safetensors") return read_safetensors(file);
  if (std::filesystem::path(file.path).extension() == ".gguf") return read_gguf(file);
  throw error(file.path.string() +
              ": expected weights in a known format (safetensors, GGUF, llama2.c's or "
              "rwkv.cpp's .bin, RTNeural's JSON, word vectors); found " +
              (file.bytes().empty() ? "an empty file" : "another"));
}

} // namespace fovea::core
