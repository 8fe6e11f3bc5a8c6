#include <fovea/library/library.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace fovea::library {
namespace {

const char* type_text(std::int32_t type) {
  switch (type) {
    case FOVEA_FLOAT32:
      return "float32";
    case FOVEA_FLOAT64:
      return "float64";
    case FOVEA_INT32:
      return "int32";
    case FOVEA_INT64:
      return "int64";
    default:
      return nullptr;
  }
}

std::string in_quotes(const char* name) { return name == nullptr ? "NULL" : "\"" + std::string(name) + "\""; }

bool is_integer(std::int32_t type) { return type == FOVEA_INT32 || type == FOVEA_INT64; }

} // namespace

std::size_t numbers_of(const fovea_tensor& tensor) {
  std::size_t count = 1;
  for (std::int32_t axis = 0; axis < tensor.rank; ++axis)
    count *= static_cast<std::size_t>(tensor.shape[axis]);
  return count;
}

std::string shape_text(const fovea_port& port) {
  std::string text = "[";
  for (std::int32_t axis = 0; axis < port.rank; ++axis) {
    if (axis > 0) text += ", ";
    text += port.dims[axis] != nullptr ? port.dims[axis] : std::to_string(port.sizes[axis]);
  }
  return text + "]";
}

void matched_inputs::refuse(const std::string& why) const {
  throw error((*call_ == '\0' ? "" : std::string(call_) + ": ") + why);
}

void matched_inputs::refuse_of(const fovea_port& port, const std::string& why) const {
  refuse("input " + in_quotes(port.name) + " " + shape_text(port) + ": " + why);
}

/// What does not depend on the sizes of the call, which the model checks.
void matched_inputs::check(const fovea_port& port, const fovea_tensor& given) const {
  const auto refuse_input = [&](const std::string& why) { refuse_of(port, why); };
  const char* const type = type_text(given.type);
  if (type == nullptr)
    refuse_input("expected FOVEA_FLOAT32 or another type, found " + std::to_string(given.type));
  if (is_integer(port.type) && !is_integer(given.type))
    refuse_input("expected int32 or int64, found " + std::string(type));
  if (!is_integer(port.type) && is_integer(given.type))
    refuse_input("expected float32 or float64, found " + std::string(type));
  if (given.rank != port.rank)
    refuse_input("expected " + std::to_string(port.rank) + (port.rank == 1 ? " axis" : " axes") + ", found " +
                 std::to_string(given.rank));
  std::int64_t numbers = 1;
  for (std::int32_t axis = 0; axis < given.rank; ++axis) {
    const std::int64_t size = given.shape[axis];
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (size < 1 || size > most)
      refuse_input("axis " + std::to_string(axis) + " is " + std::to_string(size) + ", expected at " +
                   (size < 1 ? "least 1" : "most " + std::to_string(most)));
    if (__builtin_mul_overflow(numbers, size, &numbers)) refuse_input("its shape is more than memory has");
  }
  if (given.data == nullptr) refuse_input("expected numbers, found NULL");
}

std::span<const fovea_tensor> matched_inputs::match(std::span<const fovea_tensor> given) {
  if (given.data() == nullptr && !given.empty())
    refuse("inputs: expected " + std::to_string(given.size()) + ", found NULL");
  std::ranges::fill(given_, nullptr);
  for (const fovea_tensor& tensor : given) {
    std::size_t i = 0;
    while (i < ports_.size() && (tensor.name == nullptr || std::strcmp(ports_[i].name, tensor.name) != 0))
      ++i;
    if (i == ports_.size()) {
      std::string names;
      for (const fovea_port& port : ports_) names += (names.empty() ? "" : ", ") + in_quotes(port.name);
      refuse("there is no input " + in_quotes(tensor.name) +
             (names.empty() ? "; it takes none" : "; the inputs are " + names));
    }
    if (given_[i] != nullptr) refuse("the input " + in_quotes(tensor.name) + " is given twice");
    given_[i] = &tensor;
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (given_[i] == nullptr) refuse("the input " + in_quotes(ports_[i].name) + " is missing");
    check(ports_[i], *given_[i]);
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) tensors_[i] = as_read(i, *given_[i]);
  return tensors_;
}

fovea_tensor matched_inputs::as_read(std::size_t i, fovea_tensor tensor) {
  std::vector<std::int32_t>& words = converted_[i];
  const std::size_t count = numbers_of(tensor);
  if (tensor.type == FOVEA_INT64) {
    const auto* from = static_cast<const std::int64_t*>(tensor.data);
    words.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      words[k] = static_cast<std::int32_t>(from[k]);
      if (words[k] != from[k]) refuse_of(ports_[i], std::to_string(from[k]) + " does not fit 32 bits");
    }
    tensor.data = words.data();
  } else if (tensor.type == FOVEA_FLOAT64) {
    const auto* from = static_cast<const double*>(tensor.data);
    words.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const auto number = static_cast<float>(from[k]);
      std::memcpy(&words[k], &number, sizeof number);
    }
    tensor.data = words.data();
  }
  return tensor;
}

} // namespace fovea::library
