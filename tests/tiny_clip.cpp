// The examples' encoder of a small CLIP, in place of the published shape: what makes them programs that tests run.

#include "tiny_clip.hpp"

#include <clip/compiled_encoder.hpp>

std::unique_ptr<clip_program::encoder> clip_program::open_encoder(const std::filesystem::path& folder,
                                                                  int threads) {
  return std::make_unique<compiled_encoder<tiny_clip>>(folder, threads);
}
