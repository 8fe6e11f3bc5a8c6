#pragma once

#include <fovea/base/error.hpp>
#include <fovea/library/library.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea::library::python {

namespace nb = nanobind;

/// What a call is given, by name: whatever numpy makes an array of. Float32, float64, int32 and int64 that lie side by side
/// are read where they lie; other numbers become one of these.
class given_arrays {
public:
  explicit given_arrays(const nb::kwargs& given) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    for (const auto& [name, value] : given) add(numpy, nb::cast<std::string>(name), value);
    for (std::size_t i = 0; i < names_.size(); ++i) tensors_[i].name = names_[i].c_str();
  }
  std::span<const fovea_tensor> tensors() const { return tensors_; }

private:
  using array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

  void add(const nb::module_& numpy, std::string name, nb::handle value) {
    nb::object values = numpy.attr("asarray")(value, nb::arg("order") = "C");
    const auto type = type_of(values, name);
    if (type.second != nullptr) values = values.attr("astype")(type.second);
    if (nb::cast<std::size_t>(values.attr("ndim")) > FOVEA_MOST_AXES)
      throw error("input \"" + name + "\": expected at most " + std::to_string(FOVEA_MOST_AXES) + " axes");
    const auto numbers = nb::cast<array>(values);
    fovea_tensor t{nullptr, type.first, static_cast<std::int32_t>(numbers.ndim()), {}, numbers.data()};
    for (std::size_t axis = 0; axis < numbers.ndim(); ++axis)
      t.shape[axis] = static_cast<std::int64_t>(numbers.shape(axis));
    names_.push_back(std::move(name));
    kept_.push_back(numbers);
    tensors_.push_back(t);
  }

  /// The type that an array is read in and, where it is of another, the name of that.
  static std::pair<std::int32_t, const char*> type_of(const nb::object& values, const std::string& name) {
    const nb::object type = values.attr("dtype");
    const auto kind = nb::cast<std::string>(type.attr("kind"));
    const auto bytes = nb::cast<int>(type.attr("itemsize"));
    const bool own_order = nb::cast<bool>(type.attr("isnative"));
    const bool exact = own_order && (bytes == 4 || bytes == 8);
    if (kind == "f")
      return {bytes == 8 ? FOVEA_FLOAT64 : FOVEA_FLOAT32, exact        ? nullptr
                                                          : bytes == 8 ? "float64"
                                                                       : "float32"};
    if (kind == "i")
      return {bytes == 4 ? FOVEA_INT32 : FOVEA_INT64, exact ? nullptr : bytes == 4 ? "int32" : "int64"};
    if (kind == "u" || kind == "b") return {FOVEA_INT64, "int64"};
    throw error("input \"" + name + "\": expected numbers, found an array of " +
                nb::cast<std::string>(nb::str(type)));
  }

  std::vector<std::string> names_;
  std::vector<array> kept_;
  std::vector<fovea_tensor> tensors_;
};

/// Outputs on their way to numpy: tensors, and what keeps their numbers.
struct given_values {
  std::vector<fovea_tensor> tensors;
  std::shared_ptr<const void> owner;

  /// Where they lie, as long as `of` is kept.
  static given_values lent(std::span<const fovea_tensor> tensors, std::shared_ptr<const void> of) {
    return {{tensors.begin(), tensors.end()}, std::move(of)};
  }
  static given_values copied(std::span<const fovea_tensor> tensors) {
    const auto numbers = std::make_shared<std::vector<std::vector<std::byte>>>();
    given_values made{{tensors.begin(), tensors.end()}, numbers};
    for (fovea_tensor& t : made.tensors) {
      const auto* first = static_cast<const std::byte*>(t.data);
      t.data = numbers->emplace_back(first, first + 4 * numbers_of(t)).data(); // of a float or an int32
    }
    return made;
  }

  nb::dict by_name() const {
    nb::dict all;
    for (const fovea_tensor& t : tensors) all[t.name] = array_of(t);
    return all;
  }

private:
  nb::object array_of(const fovea_tensor& t) const {
    const nb::capsule keeper(new std::shared_ptr<const void>(owner), [](void* kept) noexcept {
      delete static_cast<std::shared_ptr<const void>*>(kept);
    });
    std::array<std::size_t, FOVEA_MOST_AXES> shape{};
    for (std::int32_t axis = 0; axis < t.rank; ++axis)
      shape[static_cast<std::size_t>(axis)] = static_cast<std::size_t>(t.shape[axis]);
    const nb::dlpack::dtype type = t.type == FOVEA_FLOAT32 ? nb::dtype<float>() : nb::dtype<std::int32_t>();
    return nb::cast(nb::ndarray<nb::numpy>(const_cast<void*>(t.data), static_cast<std::size_t>(t.rank),
                                           shape.data(), keeper, nullptr, type));
  }
};

} // namespace fovea::library::python
