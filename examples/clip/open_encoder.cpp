#include "compiled_encoder.hpp"

std::unique_ptr<clip_program::encoder> clip_program::open_encoder(const std::filesystem::path& folder,
                                                                  int threads) {
  return std::make_unique<compiled_encoder<models::FOVEA_CLIP>>(folder, threads);
}
