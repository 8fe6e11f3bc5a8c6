#pragma once

#include <fovea/weights/convert.hpp>
#include <fovea/weights/packed_weights.hpp>
#include <fovea/weights/weight_file.hpp>
#include <fovea/weights/weights.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core {

/// What all copies of one `weights` share.
struct model_weights::state {
  std::string source;
  std::vector<weight_file> files;             // keep the tensors' bytes
  std::map<std::string, weight_tensor> given; // or keep them in memory
  std::vector<std::shared_ptr<state>> parts;  // or they are those of others
  std::map<std::string, stored_tensor> tensors;
  std::map<std::string, std::string> shard_of; // the file of each tensor, when there are several
  std::map<std::string, std::string> metadata;
  std::optional<packed_layout> layout; // of packed weights

  struct packed_slot {
    std::mutex building;
    std::weak_ptr<const packed> copy;
  };
  /// A tensor's name and what was done to it.
  using content_key = std::pair<std::string, naming::transform>;
  std::mutex guard;                                          // of the caches
  std::map<content_key, float_values> checked;               // values known to be finite
  std::map<content_key, std::shared_ptr<const packed>> rows; // as they are stored, in another order
  std::map<std::string, std::shared_ptr<packed_slot>> packed_slots;

  /// Takes what the only file holds.
  void take(weight_file only);
  const std::string& file_of(const std::string& tensor) const {
    const auto shard = shard_of.find(tensor);
    return shard == shard_of.end() ? source : shard->second;
  }
};

} // namespace fovea::core
