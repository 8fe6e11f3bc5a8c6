#pragma once

#include <fovea/library/c/types.h>
#include <fovea/programs/parts.hpp>
#include <fovea/runtime/options.hpp>
#include <fovea/weights/weights.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fovea::library {

/// A compiled model, whatever it is, by tensors with names.
class net {
public:
  virtual ~net() = default;
  virtual std::unique_ptr<net> copy() const = 0;
  /// Throws fovea::error that names the input, before anything runs.
  virtual void run(std::span<const fovea_tensor> inputs) = 0;
  /// What the last run gave, until the next; empty before the first.
  virtual std::span<const fovea_tensor> outputs() const = 0;
};

/// A stream of a model, whatever it is.
class stream {
public:
  virtual ~stream() = default;
  virtual std::unique_ptr<stream> copy() const = 0;
  virtual void begin(std::span<const fovea_tensor> inputs) = 0;
  virtual void step(std::span<const fovea_tensor> inputs) = 0;
  virtual void finish(std::size_t positions) = 0;
  virtual void reset(std::size_t row) = 0;
  virtual std::int64_t position(std::size_t row) const = 0;
  /// What the last step gave, until the next; empty before the first.
  virtual std::span<const fovea_tensor> outputs() const = 0;
};

/// The given tensors in the order of the ports, as the model reads them: float32 and int32. Throws fovea::error about
/// a port that is missing or given twice, a name that is none, a type or rank that does not fit.
class matched_inputs {
public:
  /// `call` is the function that takes them, where a library has several; it stands in front of each sentence.
  matched_inputs(const char* call, std::span<const fovea_port> ports)
      : call_(call), ports_(ports), given_(ports.size()), converted_(ports.size()), tensors_(ports.size()) {}

  std::span<const fovea_tensor> match(std::span<const fovea_tensor> given);

private:
  void check(const fovea_port& port, const fovea_tensor& given) const;
  fovea_tensor as_read(std::size_t i, fovea_tensor tensor);
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse_of(const fovea_port& port, const std::string& why) const;

  const char* call_;
  std::span<const fovea_port> ports_;
  std::vector<const fovea_tensor*> given_;           // of each port
  std::vector<std::vector<std::int32_t>> converted_; // of each port; float32 in the same bytes
  std::vector<fovea_tensor> tensors_;
};

/// How many numbers a tensor has.
std::size_t numbers_of(const fovea_tensor& tensor);

/// "[B, T, 384]".
std::string shape_text(const fovea_port& port);

using programs::program_parts;

/// The weights in a file, or where that is null, those that the library is built with; or those in memory. Throws
/// fovea::error.
model_weights weights_of(const program_parts& parts, const char* file);
struct bytes_in_memory {
  const void* first;
  std::size_t count;
};
model_weights weights_of(const program_parts& parts, bytes_in_memory bytes);

/// Sets the capacity of a dim, which the options may have.
void set_capacity(compile_options& options, const core::dim_size& size);

/// What is asked for, with the library's own capacity of the other dims. Throws fovea::error about what can't be meant.
compile_options options_of(const program_parts& parts, const fovea_options* asked);

} // namespace fovea::library
