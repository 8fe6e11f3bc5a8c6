#pragma once

#include "../../file_content.hpp"
#include "../../weights/temporary_folder.hpp"

#include <fovea/runtime/tokenizers/pack_tokenizer.hpp>
#include <fovea/weights/gguf.hpp>
#include <fovea/weights/packed_weights.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace fovea::core::test {

/// A file of packed weights without weights, which carries a tokenizer.
inline std::string file_with(const std::string& stages, const std::map<std::string, stored_tensor>& tables,
                             std::uint32_t version = packed_keys::newest) {
  gguf_metadata keys;
  keys.set("general.alignment", packed_keys::alignment);
  keys.set(packed_keys::version, version);
  keys.set(packed_keys::format, "f32");
  keys.set(packed_keys::panel, std::uint32_t{4});
  keys.set(packed_keys::tokenizer, stages);
  const temporary_folder folder;
  save_gguf(folder / "x.gguf", tables, keys);
  return content((folder / "x.gguf").string());
}

/// The tokenizer of a file, packed and loaded again; nothing where it cannot be packed.
inline std::optional<tokenizer> packed_copy(const file_path& path) {
  const std::optional<packed_tokenizer> made = pack_tokenizer(path);
  if (!made) return std::nullopt;
  const std::string file = file_with(made->stages, made->tables);
  return load_tokenizer(std::as_bytes(std::span(file)), "x.gguf");
}

} // namespace fovea::core::test
