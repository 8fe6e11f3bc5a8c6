#pragma once

#include <cstdint>

#include <fovea/backends/exact.hpp>
#include <fovea/dsl/scalar.hpp>

namespace fovea::core {

/// What a score or mask lambda is given.
struct scalar_arguments {
  double score = 0;                                     // of a score lambda only
  std::int64_t batch = 0, head = 0, query = 0, key = 0; // query and key as positions
};

/// The values of a recorded lambda's nodes, integers and truth values as whole numbers. table(node, position)
/// is an element of the table that the node reads, position(k) being where along axis k. Integers divide with
/// floor; both sides of a `where` are computed.
template <class F>
auto values_of(const scalar_function& f, const scalar_arguments& given, const F& table) {
  return f.each<double>([&](const scalar_node& n, const auto& of) -> double {
    switch (n.kind) {
      case op::constant:
        return n.number;
      case op::score:
        return given.score;
      case op::batch_index:
        return static_cast<double>(given.batch);
      case op::head_index:
        return static_cast<double>(given.head);
      case op::query_position:
        return static_cast<double>(given.query);
      case op::key_position:
        return static_cast<double>(given.key);
      case op::where:
        return of(0) != 0 ? of(1) : of(2);
      case op::table_at:
        return table(n, [&](int k) { return static_cast<std::int64_t>(of(k)); });
      default:
        return is_unary(n.kind) ? exact::unary(n.kind)(of(0)) : exact::binary(n.kind, n.type)(of(0), of(1));
    }
  });
}
/// The value of its result.
template <class F>
double value_of(const scalar_function& f, const scalar_arguments& given, const F& table) {
  return values_of(f, given, table)[f.result()];
}

} // namespace fovea::core
