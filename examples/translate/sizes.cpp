#include "sizes.hpp"

#include <fovea/base/error.hpp>

namespace translate_program {

nlohmann::json sizes_of(const std::string& model) {
  if (model == "bahdanau") {
    constexpr auto c = bahdanau_sizes;
    return {{"model", model},
            {"source_vocab", c.source_vocab},
            {"target_vocab", c.target_vocab},
            {"width", c.width},
            {"hidden", c.hidden},
            {"alignment", c.alignment},
            {"maxout", c.maxout}};
  }
  if (model == "luong") {
    constexpr auto c = luong_sizes;
    return {{"model", model},
            {"source_vocab", c.source_vocab},
            {"target_vocab", c.target_vocab},
            {"width", c.width},
            {"hidden", c.hidden},
            {"layers", c.layers}};
  }
  if (model == "transformer") {
    constexpr auto c = transformer_sizes;
    return {{"model", model},         {"source_vocab", c.source_vocab}, {"target_vocab", c.target_vocab},
            {"width", c.block.width}, {"heads", c.block.heads},         {"inner", c.block.inner},
            {"layers", c.layers}};
  }
  throw fovea::error("expected the model bahdanau, luong or transformer, found " + model);
}

} // namespace translate_program
