#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/ill_formed.hpp>
#include <fovea/runtime/calls/keys.hpp>

namespace fovea::core::detail {

template <class model, fixed_name name>
constexpr int find_input() {
  for (std::size_t i = 0; i < model::view.inputs.size(); ++i)
    if (same_text(model::view.inputs[i].name, name.text)) return static_cast<int>(i);
  return -1;
}
template <class model, fixed_name name>
constexpr int find_output() {
  for (std::size_t i = 0; i < model::view.outputs.size(); ++i)
    if (same_text(model::view.outputs[i].name, name.text)) return static_cast<int>(i);
  return -1;
}

/// Whether `written` names the parameter with the path `path`, in which ".*" stands for a layer's number: it
/// may be left out.
constexpr bool names_parameter(const char* path, const char* written) {
  while (*path != '\0') {
    if (path[0] == '.' && path[1] == '*' && !(written[0] == '.' && written[1] == '*'))
      path += 2;
    else if (*path++ != *written++)
      return false;
  }
  return *written == '\0';
}
/// The parameters that a name stands for: several where repeats of one name follow each other ({.first = k}).
template <class model, fixed_name name>
struct parameters_named {
  static constexpr bool fits(std::size_t i) {
    return names_parameter(model::view.parameter_name(static_cast<int>(i)).text, name.text);
  }
  static constexpr std::size_t count = [] {
    std::size_t n = 0;
    for (std::size_t i = 0; i < model::view.parameters.size(); ++i) n += fits(i);
    return n;
  }();
  static constexpr std::array<int, count> indices = [] {
    std::array<int, count> found{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < model::view.parameters.size(); ++i)
      if (fits(i)) found[n++] = static_cast<int>(i);
    return found;
  }();
  static constexpr const shape& shape_of(std::size_t i) {
    return model::view.at(model::view.parameters[static_cast<std::size_t>(indices[i])].node).shape;
  }
};

constexpr void list(sentence& s, const table_view<named_value>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) s << (i == 0 ? "" : ", ") << '"' << values[i].name << '"';
}

/// Begins a sentence about a call that has a name, as a stream's `begin` and `step` have.
template <class model>
constexpr sentence about_call() {
  sentence s;
  if constexpr (requires { model::call; }) s << model::call << ": ";
  return s;
}

/// Whether a call of the model that lacks an input takes what it holds for it.
template <class model>
constexpr bool held_by_call([[maybe_unused]] std::size_t input) {
  if constexpr (requires { model::holds(input); })
    return model::holds(input);
  else
    return false;
}

/// The sentence for a call that does not fit the model's inputs; empty if all is well.
template <class model, fixed_name... names>
struct checked_call {
  static constexpr sentence check() {
    sentence s;
    constexpr std::size_t count = model::view.inputs.size();
    int times[count > 0 ? count : 1] = {};
    [[maybe_unused]] const auto take = [&](int i, const char* name) {
      if (!s.empty()) return;
      if (i < 0) {
        s = about_call<model>();
        s << "there is no input \"" << name << "\"; ";
        if (count == 0) s << "it takes none";
        if (count > 0) list(s << "the inputs are ", model::view.inputs);
        s << sentence_id{307};
      } else if (++times[i] > 1) {
        s = about_call<model>();
        s << "the input \"" << name << "\" is given twice" << sentence_id{308};
      }
    };
    (take(find_input<model, names>(), names.text), ...);
    for (std::size_t i = 0; s.empty() && i < count; ++i)
      if (times[i] == 0 && !held_by_call<model>(i)) {
        s = about_call<model>();
        s << "the input \"" << model::view.inputs[i].name << "\" is missing" << sentence_id{309};
      }
    return s;
  }
  static constexpr sentence error = check();
};

template <class model, fixed_name name>
struct checked_output {
  static constexpr sentence check() {
    sentence s;
    if (find_output<model, name>() < 0) {
      s << "there is no output \"" << name.text << "\"; the outputs are ";
      list(s, model::view.outputs);
      s << sentence_id{310};
    }
    return s;
  }
  static constexpr sentence error = check();
};

template <class model, fixed_name name>
struct checked_parameter {
  static constexpr sentence check() {
    sentence s;
    using found = parameters_named<model, name>;
    if constexpr (found::count == 0) s << "there is no parameter \"" << name.text << '"' << sentence_id{311};
    for (std::size_t i = 1; i < found::count && s.empty(); ++i)
      if (!(found::shape_of(i) == found::shape_of(0))) {
        s << "the name \"" << name.text << "\" stands for parameters of different shapes, ";
        model::view.write_shape(s, found::shape_of(0));
        s << " and ";
        model::view.write_shape(s, found::shape_of(i));
        s << sentence_id{312};
      }
    return s;
  }
  static constexpr sentence error = check();
};

/// What an input is given must have the input's rank and a number type that fits it.
template <class model, int input, int rank, bool is_number, bool is_integer>
struct checked_argument {
  static constexpr sentence check() {
    sentence s;
    if (input < 0) return s; // its name is refused by itself
    const node& n = model::view.at(model::view.inputs[input].node);
    const auto begin = [&]() -> sentence& {
      return s << "input \"" << model::view.inputs[input].name << "\": ";
    };
    if (!is_number)
      begin()
          << "expected an xtensor expression of numbers; xt::adapt(values, shape) is one over a std::vector"
          << sentence_id{313};
    else if (n.type == element::i32 && !is_integer)
      begin() << "expected integers, found floating-point numbers" << sentence_id{314};
    else if (rank >= 0 && rank != n.shape.rank) {
      begin() << "expected " << static_cast<int>(n.shape.rank) << " axes ";
      model::view.write_shape(s, n.shape);
      s << ", found " << rank << sentence_id{315};
    }
    return s;
  }
  static constexpr sentence error = check();
};

/// Whether all is well.
template <class... checked>
inline constexpr bool holds = (checked::error.empty() && ...);

/// Where it is not: the first sentence, in the template arguments of a function that may not be called, so
/// that the compiler says it at the call.
template <class... checked>
struct first_refusal {}; // none: the function does not take part
template <class first, class... more>
struct first_refusal<first, more...> : first_refusal<more...> {};
template <class first, class... more>
requires(!first::error.empty()) struct first_refusal<first, more...> {
  using type = sentence_of<first>;
};
template <class... checked>
using refusal = typename first_refusal<checked...>::type;

/// Where it is not: the first sentence becomes the error.
template <class first, class... more>
constexpr void refuse() {
  if constexpr (first::error.empty())
    refuse<more...>();
  else
    static_cast<void>(sizeof(report_of<first>));
}

} // namespace fovea::core::detail
