#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/runtime/calls/allowed_integers.hpp>

namespace fovea::core {

/// The symbols of a model, their capacities, and their sizes in the call at hand.
class call_sizes {
public:
  /// Takes capacities from the list, and where a model implies one (T <= context) from the model. Throws
  /// fovea::error that names a symbol without bound, or a capacity that is not at least 1 or above what the
  /// model allows.
  call_sizes(graph_view graph, const char* model_name, std::span<const dim_size> capacity);
  call_sizes(const call_sizes&);
  call_sizes(call_sizes&&) noexcept;
  ~call_sizes();

  /// The size of every dim of the graph, by id: after construction the largest that the capacity allows, of
  /// the last call after `resolve`.
  const std::vector<std::int64_t>& sizes() const { return sizes_; }

  static constexpr std::int64_t not_held = -1;
  /// Holds a symbol at a size, whatever the inputs; not_held: the inputs say it again.
  void hold(const dim& symbol, std::int64_t size);
  /// The size that a symbol is held at, or not_held.
  std::int64_t held(const dim& symbol) const;
  /// Takes the sizes that symbols are held at, and of the others their capacity.
  void settle();

  /// Takes the sizes of a call from the shapes of its inputs (in the graph's order). Throws fovea::error that
  /// names the input, the axis, what was expected and what was found, or the operation that is left with
  /// nothing.
  void resolve(std::span<const std::span<const std::size_t>> shapes);

  /// Throws fovea::error that names input `index`, the place and the value where an id lies outside the
  /// tables that it chooses from, or a target outside the classes of its loss.
  void check_integers(std::size_t index, std::span<const std::int32_t> values) const;
  /// The error for an integer that does not fit int32.
  [[noreturn]] void reject_integer(std::size_t index, const std::string& found) const;

  /// The size of a symbol.
  std::int64_t size_of(const char* symbol) const;
  std::span<const std::string> symbols() const { return symbols_; }
  const std::string& model_name() const { return name_; }

private:
  /// An axis whose size is computed from others, as a convolution's is.
  struct axis_of_node {
    int node, axis;
  };
  /// An axis of an input whose size is computed from symbols: 4*H.
  struct axis_of_input {
    std::size_t input;
    int axis;
  };
  /// A gather by `first`, first + 1, ..., which a range counts.
  struct counted_gather {
    int node, range;
    std::int64_t first;
  };

  void find_symbols();
  std::vector<std::int64_t> implied_capacity() const;
  void set_capacity(std::span<const dim_size> given_sizes);
  void find_computed();
  void find_bounded();
  void evaluate();
  void check_magnitudes() const;
  void check_derived() const;
  void check_slices() const;
  void check_positions() const;
  bool solve(const axis_of_input& from, std::int64_t size);
  std::string current_text() const;
  std::string input_text(std::size_t index) const;

  graph_view graph_;
  std::string name_;
  std::vector<std::vector<allowed_integers>> allowed_; // of each input
  std::vector<std::string> symbols_;
  std::vector<std::int64_t> capacity_, current_, held_;
  std::vector<std::int64_t> sizes_;
  std::vector<axis_of_node> derived_; // one of each size
  std::vector<axis_of_input> computed_;
  // What the sizes may bring beyond an end: slices, and gathers of as many rows as there are positions.
  std::vector<int> slices_;
  std::vector<counted_gather> gathers_;
};

/// Throws the fovea::error of a model that finds no memory.
[[noreturn]] void refuse_memory(const char* model_name, std::span<const dim_size> capacity);

} // namespace fovea::core
