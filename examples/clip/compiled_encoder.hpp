#pragma once

#include "config.hpp"
#include "encoder.hpp"
#include "text_reader.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/clip.hpp>

#include <algorithm>
#include <cmath>

namespace clip_program {

using namespace fovea;

template <models::clip_config shape>
auto picture_tower_of(const model_weights& weights, int threads) {
  return compile(models::clip_picture<shape>, weights,
                 {.capacity = {{"B", encoder::batch}}, .threads = threads});
}
template <models::clip_config shape>
auto text_tower_of(const model_weights& weights, int threads) {
  return compile(models::clip_text<shape>, weights,
                 {.capacity = {{"B", encoder::batch}, {"T", shape.context}}, .threads = threads});
}

/// The encoder of one shape. A tower is made when it is first asked.
template <models::clip_config shape>
class compiled_encoder final : public encoder {
public:
  compiled_encoder(const std::filesystem::path& folder, int threads)
      : threads_(threads), weights_(opened(folder)), words_(folder / "tokenizer.json", shape),
        prepare_(read_preprocessing(folder, side)) {
    const core::wanted_parameter temperature{.name = "temperature", .shape = {}};
    scale_ = std::exp(*weights_.resolve_part({&temperature, 1}, models::clip_names).front().data);
  }

  std::size_t width() const override { return joint; }
  float scale() const override { return scale_; }
  pixels prepared(const picture::image& from) const override { return prepare_(from); }

  std::vector<float> of_pictures(std::span<const pixels> pictures) override {
    if (!picture_tower_) picture_tower_.reset(new picture_tower(picture_tower_of<shape>(weights_, threads_)));
    std::vector<float> vectors;
    for (std::size_t first = 0; first < pictures.size(); first += batch) {
      const auto some = pictures.subspan(first, std::min(batch, pictures.size() - first));
      auto values = xt::xtensor<float, 4>::from_shape({some.size(), side, side, 3});
      for (std::size_t i = 0; i < some.size(); ++i) std::ranges::copy(some[i], &values(i, 0, 0, 0));
      const auto out = (*picture_tower_)("pixels"_in = values);
      append(out["picture"_out], vectors);
    }
    return vectors;
  }

  std::vector<float> of_texts(std::span<const std::string> texts) override {
    std::vector<std::vector<std::int32_t>> read;
    for (const std::string& text : texts) read.push_back(words_(text));
    if (!text_tower_) text_tower_.reset(new text_tower(text_tower_of<shape>(weights_, threads_)));
    std::vector<float> vectors;
    for (std::size_t first = 0; first < read.size(); first += batch) {
      const auto some = std::span(read).subspan(first, std::min(batch, read.size() - first));
      const std::size_t longest =
          std::ranges::max_element(some, {}, [](const auto& ids) { return ids.size(); })->size();
      // What stands behind the first end is not looked at.
      xt::xtensor<std::int32_t, 2> tokens({some.size(), longest}, shape.end);
      for (std::size_t i = 0; i < some.size(); ++i) std::ranges::copy(some[i], &tokens(i, 0));
      const auto out = (*text_tower_)("tokens"_in = tokens);
      append(out["text"_out], vectors);
    }
    return vectors;
  }

private:
  static constexpr std::size_t side = shape.image, joint = shape.joint;

  static model_weights opened(const std::filesystem::path& folder) {
    for (const char* name : {"config.json", "tokenizer.json"})
      if (!std::filesystem::exists(folder / name))
        throw error((folder / name).string() +
                    ": no such file; a checkpoint's folder has it beside its weights");
    check_config(folder / "config.json", shape);
    return load_weights(folder);
  }

  using picture_tower = decltype(picture_tower_of<shape>(std::declval<const model_weights&>(), 0));
  using text_tower = decltype(text_tower_of<shape>(std::declval<const model_weights&>(), 0));

  static void append(const auto& rows, std::vector<float>& vectors) {
    for (std::size_t i = 0; i < rows.shape()[0]; ++i)
      vectors.insert(vectors.end(), &rows(i, 0), &rows(i, 0) + joint);
  }

  int threads_;
  model_weights weights_;
  text_reader words_;
  preprocessing prepare_;
  float scale_ = 1;
  std::unique_ptr<picture_tower> picture_tower_;
  std::unique_ptr<text_tower> text_tower_;
};

} // namespace clip_program
