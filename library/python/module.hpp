#pragma once

#include <fovea/library/python/arrays.hpp>
#include <fovea/library/text_calls.hpp>
#include <fovea/programs/built.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea::library::python {

/// What a module makes streams of.
struct stream_parts {
  std::span<const fovea_port> begin_inputs, step_inputs, step_outputs;
  std::unique_ptr<stream> (*make)(const model_weights&, const compile_options&);
  std::int64_t stride, latency;
};

/// What a module is built from, as fovea_add_python_module writes it. What it has not is empty.
struct module_parts {
  program_parts parts;
  std::span<const fovea_port> inputs, outputs;
  std::unique_ptr<net> (*compiled)(const model_weights&, const compile_options&) = nullptr;
  void (*expect)(const model_weights&) = nullptr; // throws where they are another model's
  const stream_parts* streams = nullptr;
  text_networks texts = {};
};

/// What nets of a module are made of.
struct opening {
  model_weights weights;
  compile_options options;

  opening(const module_parts& of, const std::optional<std::string>& file, int threads,
          const nb::kwargs& capacity)
      : weights(of_file(of, file)), options{.capacity = of.parts.capacity, .threads = threads} {
    if (threads < 0) throw error("threads: expected at least 0, found " + std::to_string(threads));
    for (const auto& [name, size] : capacity) {
      std::int64_t whole = 0;
      if (!nb::try_cast(size, whole))
        throw error("capacity of " + nb::cast<std::string>(name) + ": expected a whole number, found " +
                    nb::cast<std::string>(nb::repr(size)));
      set_capacity(of, nb::cast<std::string>(name), whole);
    }
  }

private:
  /// The names of dims whose size a call says.
  static std::vector<std::string> dims_of(std::span<const fovea_port> inputs) {
    std::vector<std::string> names;
    for (const fovea_port& port : inputs)
      for (std::int32_t axis = 0; axis < port.rank; ++axis)
        if (const char* dim = port.dims[axis]; dim != nullptr &&
                                               std::string(dim).size() <= core::dim::max_name &&
                                               std::ranges::find(names, dim) == names.end())
          names.emplace_back(dim);
    return names;
  }
  static model_weights of_file(const module_parts& of, const std::optional<std::string>& file) {
    const program_parts& parts = of.parts;
    if (!file && !programs::has_weights(parts))
      throw error("weights: expected a file, since the module is built without; found None");
    const nb::gil_scoped_release without;
    model_weights weights = programs::weights_of(parts, core::file_path(file ? *file : ""));
    of.expect(weights);
    return weights;
  }
  void set_capacity(const module_parts& of, const std::string& name, std::int64_t size) {
    const std::vector<std::string> dims = dims_of(of.inputs);
    if (std::ranges::find(dims, name) == dims.end()) {
      std::string all;
      for (const std::string& dim : dims) all += (all.empty() ? "" : ", ") + dim;
      throw error("capacity of " + name + ": the model has no such dim; its dims are " + all);
    }
    if (size < 1) throw error("capacity of " + name + ": expected at least 1, found " + std::to_string(size));
    library::set_capacity(options, {core::dim::symbol(name.c_str()), size});
  }
};

/// A compiled model. What a call gives lies in its memory while nobody keeps what an earlier call gave; where somebody does,
/// the call runs in other memory, and what it gives is copied. Calls of several threads take turns.
class model {
public:
  model(const module_parts& of, const std::optional<std::string>& weights,
        const std::optional<std::string>& tokenizer_file, int threads, const nb::kwargs& capacity)
      : of_(of), from_(of, weights, threads, capacity), tokenizer_file_(tokenizer_file) {}

  given_values call(const given_arrays& inputs) {
    const nb::gil_scoped_release without;
    const std::lock_guard lock(turn_);
    if (lending_ == nullptr) lending_ = of_.compiled(from_.weights, from_.options);
    if (lending_.use_count() == 1) {
      lending_->run(inputs.tensors());
      return given_values::lent(lending_->outputs(), lending_);
    }
    if (copying_ == nullptr) copying_ = lending_->copy();
    copying_->run(inputs.tensors());
    return given_values::copied(copying_->outputs());
  }

  std::unique_ptr<stream> begin_stream() const {
    const nb::gil_scoped_release without;
    return of_.streams->make(from_.weights, from_.options);
  }

  /// f of what is done with texts, without Python's lock.
  template <class F>
  auto with_texts(F f) {
    const nb::gil_scoped_release without;
    {
      const std::lock_guard lock(turn_);
      if (!texts_)
        texts_.emplace(of_.parts, of_.texts, from_.weights, tokenizer_file_, context(),
                       from_.options.threads);
    }
    return f(*texts_);
  }

private:
  /// The most tokens of a text: T's capacity where the caller says it.
  std::int64_t context() const {
    for (const core::dim_size& d : from_.options.capacity)
      if (d.symbol == core::dim::symbol("T")) return d.size;
    if (of_.parts.context == 0)
      throw error("capacity of T: expected the most tokens of a text, as in Model(T=256); found none");
    return of_.parts.context;
  }

  const module_parts& of_;
  const opening from_;
  const std::optional<std::string> tokenizer_file_;
  std::mutex turn_; // of what follows
  std::shared_ptr<net> lending_;
  std::unique_ptr<net> copying_;
  std::optional<text_calls> texts_;
};

/// A stream; what it gives is copied. Calls of several threads take turns.
class live {
public:
  explicit live(std::unique_ptr<stream> of) : stream_(std::move(of)) {}

  /// f of the stream, without Python's lock.
  template <class F>
  auto with(F f) {
    const nb::gil_scoped_release without;
    const std::lock_guard lock(turn_);
    return f(*stream_);
  }

private:
  std::mutex turn_;
  std::unique_ptr<stream> stream_;
};

} // namespace fovea::library::python
