#include "config.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace clip_program {
namespace {

using fovea::models::transformer_block_config;
using nlohmann::json;

/// Holds entries of one object of a config.json against what is compiled.
class expected_entries {
public:
  expected_entries(const std::filesystem::path& file, const json& all, std::string object)
      : file_(file), object_(std::move(object)) {
    const bool whole = object_.empty();
    if (whole || (all.contains(object_) && !all[object_].is_null())) entries_ = whole ? all : all[object_];
    if (!entries_.is_object())
      fail("expected " + (whole ? "an object" : object_ + " to be an object"), entries_);
    if (!whole) object_ += '.';
  }

  /// `usual` is what an entry is that is left out.
  void expect(const char* key, const json& compiled, const json& usual) const {
    const json found = entries_.value(key, usual);
    if (found != compiled) fail("expected " + object_ + key + " to be " + compiled.dump(), found);
  }

  void expect_tower(const transformer_block_config& block, int layers,
                    const transformer_block_config& usual) const {
    expect("hidden_size", block.width, usual.width);
    expect("intermediate_size", block.inner, usual.inner);
    expect("num_attention_heads", block.heads, usual.heads);
    expect("num_hidden_layers", layers, 12);
    const bool quick = block.activation == fovea::models::activation::quick_gelu;
    expect("hidden_act", quick ? "quick_gelu" : "gelu", "quick_gelu");
    expect("layer_norm_eps", block.epsilon, 1e-5);
  }

private:
  [[noreturn]] void fail(const std::string& expected, const json& found) const {
    throw fovea::error(file_.string() + ": " + expected + ", found " + fovea::core::shown(found) +
                       "; the program is compiled for a CLIP of one shape (CMake's FOVEA_CLIP)");
  }

  const std::filesystem::path& file_;
  std::string object_;
  json entries_ = json::object();
};

} // namespace

void check_config(const std::filesystem::path& file, const fovea::models::clip_config& compiled) {
  const fovea::core::json_document all = fovea::core::load_json(file);
  const auto& usual = fovea::models::clip_base;
  const expected_entries whole(file, *all, "");
  whole.expect("model_type", "clip", nullptr);
  whole.expect("projection_dim", compiled.joint, usual.joint);
  const expected_entries text(file, *all, "text_config");
  text.expect_tower(compiled.text, compiled.layers, usual.text);
  text.expect("vocab_size", compiled.vocab, usual.vocab);
  text.expect("max_position_embeddings", compiled.context, usual.context);
  const expected_entries pictures(file, *all, "vision_config");
  pictures.expect_tower(compiled.picture, compiled.picture_layers, usual.picture);
  pictures.expect("image_size", compiled.image, usual.image);
  pictures.expect("patch_size", compiled.patch, usual.patch);
}

} // namespace clip_program
