#include <fovea/runtime/training/learned_parameters.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/regular_file.hpp>
#include <fovea/runtime/training/digest.hpp>
#include <fovea/weights/safetensors.hpp>
#include <fovea/weights/training_names.hpp>

namespace fovea::core {

namespace {

/// Throws fovea::error where the values of a tensor of a checkpoint are of another type, or not finite.
void check_floats(const std::filesystem::path& path, const std::string& name, const stored_tensor& tensor) {
  if (tensor.type != element_type::f32)
    throw error(path.string() + ": expected the tensor " + name + " to be F32, found " +
                std::string(element_name(tensor.type)));
  for (std::size_t at = 0; at + sizeof(float) <= tensor.bytes.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, tensor.bytes.data() + at, sizeof(float));
    if (!std::isfinite(value))
      throw error(path.string() + ": expected finite values in the tensor " + name + ", found others");
  }
}

std::vector<float> floats_of(const stored_tensor& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

} // namespace

learned_parameters::learned_parameters(graph_view graph, const model_weights& source,
                                       std::span<const name_rule> names,
                                       std::span<const char* const> moment_names, std::string optimizer)
    : loaded_(graph, source, names), moment_names_(moment_names.begin(), moment_names.end()),
      optimizer_(std::move(optimizer)), begins_{0} {
  for (std::size_t p = 0; p < graph.parameters.size(); ++p) {
    names_.emplace_back(graph.parameter_name(static_cast<int>(p)).text);
    if (is_of_training(names_.back()))
      throw error("the parameter " + names_.back() +
                  " cannot be trained: in a checkpoint, names that begin with " + std::string(moment_prefix) +
                  ", " + std::string(accumulated_prefix) + " or " + std::string(carried_prefix) +
                  " are not those of parameters");
    shapes_.push_back(loaded_.shape(static_cast<std::size_t>(loaded_.first(static_cast<int>(p)))));
    std::size_t size = 0;
    for (int i = loaded_.first(static_cast<int>(p)); i < loaded_.first(static_cast<int>(p) + 1); ++i)
      size += loaded_.values()[static_cast<std::size_t>(i)].size;
    begins_.push_back(begins_.back() + size);
  }
  values_ = buffer::from_shape({begins_.back()});
  float* to = values_.data();
  for (const weight_view& from : loaded_.values()) to = std::copy_n(from.data, from.size, to);
  loaded_ = shared(); // what was loaded need not stay
}

void learned_parameters::make_moments(std::vector<run_of_values> of) {
  with_moments_ = std::move(of);
  std::size_t count = 0;
  for (const run_of_values& run : with_moments_) count += run.count;
  for (std::size_t i = 0; i < moment_names_.size(); ++i) {
    moments_.push_back(buffer::from_shape({count}));
    moments_.back().fill(0);
  }
}

std::int64_t learned_parameters::moment_bytes() const {
  std::size_t floats = 0;
  for (const buffer& moment : moments_) floats += moment.size();
  return static_cast<std::int64_t>(floats * sizeof(float));
}

std::uint64_t learned_parameters::digest() const {
  detail::digest all;
  all.add(std::as_bytes(std::span(values_.data(), values_.size())));
  for (const buffer& moment : moments_)
    if (moment.size() == values_.size()) all.add(std::as_bytes(std::span(moment.data(), moment.size())));
  return all.value();
}

model_parameters learned_parameters::shared() const {
  std::vector<weight_view> views;
  const float* at = values_.data();
  for (const weight_view& one : loaded_.values()) {
    views.push_back({at, one.size});
    at += one.size;
  }
  return loaded_.learned(std::move(views));
}

template <class F>
void learned_parameters::for_each_tensor(F f) const {
  for (int p = 0; p < count(); ++p)
    for (int i = loaded_.first(p), layer = 0; i < loaded_.first(p + 1); ++i, ++layer) {
      const std::string& name = loaded_.names()[static_cast<std::size_t>(i)];
      const std::size_t size = loaded_.values()[static_cast<std::size_t>(i)].size,
                        at = begin(p) + static_cast<std::size_t>(layer) * size;
      const std::vector<std::size_t>& shape = shapes_[static_cast<std::size_t>(p)];
      f(name, shape, -1, at, size);
      for (std::size_t m = 0; m < moment_names_.size(); ++m)
        f(std::string(moment_prefix) + moment_names_[m] + "." + name, shape, static_cast<int>(m), at, size);
    }
}

model_weights learned_parameters::snapshot() const {
  std::map<std::string, weight_tensor> tensors;
  for_each_tensor([&](const std::string& name, const std::vector<std::size_t>& shape, int moment,
                      std::size_t first, std::size_t count) {
    const float* from = values_.data() + first;
    if (moment < 0) tensors[name] = {shape, {from, from + count}};
  });
  return model_weights::from(std::move(tensors), "weights that were learned");
}

void learned_parameters::save(const file_path& path, const training_state& state,
                              const std::vector<buffer>& moments) const {
  std::map<std::string, stored_tensor> tensors;
  for_each_tensor([&](const std::string& name, const std::vector<std::size_t>& shape, int moment,
                      std::size_t first, std::size_t count) {
    const buffer& all =
        moment < 0 ? values_ : (moments.empty() ? moments_ : moments)[static_cast<std::size_t>(moment)];
    const std::span values(all.data() + first, count);
    if (!std::ranges::all_of(values, [](float x) { return std::isfinite(x); }))
      throw error(path.string() + ": is not written, for " + name + " is not finite");
    tensors[name] = {element_type::f32, shape, std::as_bytes(values)};
  });
  const auto add = [&](std::string_view prefix, const std::map<std::string, weight_tensor>& all) {
    for (const auto& [name, tensor] : all)
      tensors[std::string(prefix) + name] = {element_type::f32, tensor.shape,
                                             std::as_bytes(std::span(tensor.values))};
  };
  add(carried_prefix, state.carried);
  add(accumulated_prefix, state.accumulated);
  auto notes = state.notes_of_user;
  const auto note = [&](std::string_view name, const std::string& text) {
    if (!notes.emplace(name, text).second)
      throw error(path.string() + ": is not written, for training keeps a note \"" + std::string(name) +
                  "\" of its own");
  };
  for (const auto& [name, text] : state.notes) note(name, text);
  if (!optimizer_.empty()) note(optimizer_note, optimizer_);
  save_safetensors(path, tensors, notes);
}

/// Where those values of a moment go that are kept here.
void learned_parameters::add_places(std::size_t moment, std::size_t first, std::size_t count,
                                    std::span<const std::byte> bytes, tensor_places& to) {
  std::size_t kept = 0;
  for (const run_of_values& run : with_moments_) {
    const std::size_t begin = std::max(first, run.first),
                      end = std::min(first + count, run.first + run.count);
    if (begin < end)
      to.emplace_back(moments_[moment].data() + kept + begin - run.first,
                      bytes.subspan((begin - first) * sizeof(float), (end - begin) * sizeof(float)));
    kept += run.count;
  }
}

std::map<std::string, std::string>
learned_parameters::load(const file_path& path, const std::function<void(const training_state&)>& take) try {
  const safetensors_file file(path);
  training_state state;
  for (const auto& [name, text] : file.metadata())
    if (name == step_note || name == optimizer_note || name == accumulated_note)
      state.notes.emplace(name, text);
    else
      state.notes_of_user.emplace(name, text);
  if (const auto by = state.notes.find(optimizer_note);
      by != state.notes.end() && !optimizer_.empty() && by->second != optimizer_)
    throw error(path.string() + ": expected a checkpoint of " + optimizer_ + ", found one of " +
                shortened(by->second));
  // Where each value goes: once the first is there, nothing may be in the way of the last.
  tensor_places places;
  std::size_t expected = 0;
  for_each_tensor([&](const std::string& name, const std::vector<std::size_t>& shape, int moment,
                      std::size_t first, std::size_t count) {
    ++expected;
    const auto found = file.tensors().find(name);
    if (found == file.tensors().end())
      throw error(path.string() + ": expected the tensor " + name + " " + shape_text(shape) +
                  " of this model and optimizer, found none");
    if (found->second.shape != shape || found->second.type != element_type::f32)
      throw error(path.string() + ": expected the tensor " + name + " to be F32 " + shape_text(shape) +
                  ", found " + std::string(element_name(found->second.type)) + " " +
                  shape_text(found->second.shape));
    check_floats(path, name, found->second);
    if (moment < 0)
      places.emplace_back(values_.data() + first, found->second.bytes);
    else
      add_places(static_cast<std::size_t>(moment), first, count, found->second.bytes, places);
  });
  const auto collect = [&](std::string_view prefix, std::map<std::string, weight_tensor>& to) {
    for (const auto& [name, tensor] : file.tensors()) {
      if (!name.starts_with(prefix)) continue;
      ++expected;
      check_floats(path, name, tensor);
      to[name.substr(prefix.size())] = {tensor.shape, floats_of(tensor)};
    }
  };
  collect(carried_prefix, state.carried);
  collect(accumulated_prefix, state.accumulated);
  if (file.tensors().size() != expected)
    throw error(path.string() + ": expected the " + std::to_string(expected) +
                " tensors of this model and optimizer, found " + std::to_string(file.tensors().size()));
  take(state);
  for (const auto& [to, bytes] : places) std::memcpy(to, bytes.data(), bytes.size());
  return std::move(state.notes_of_user);
} catch (const std::bad_alloc&) {
  refuse_memory(path);
}

} // namespace fovea::core
