#pragma once

#include <cstdint>

#include <fovea/dsl/passes/passes.hpp>
#include <fovea/dsl/passes/step_writer.hpp>

namespace fovea::core {

namespace detail {

/// The dims of a model that are symbols: "B, T".
constexpr sentence symbols_of(const graph& g) {
  sentence s;
  for (int form = 0; form < g.form_count; ++form)
    if (g.forms[form].is_symbol()) s << (s.empty() ? "" : ", ") << g.forms[form];
  if (s.empty()) s << "none that is known only at run time";
  return s;
}

/// What came of making a step.
struct stream_outcome {
  static constexpr int most_kept = 64;
  graph made;
  std::int32_t kept_from[most_kept] = {},
               kept_state[most_kept] = {}; // nodes of the source; numbers of states
  int kept_count = 0, states = 0, batch = 0;
  std::int64_t stride = 1, latency = 0;
  bool rows_refused = false, rows_mixed = false;
  sentence not_rewound = {};
};

/// The step of a declaration, whose graph is `source::built`, along `time`, with rows at positions of their
/// own or all at one.
template <class source, dim time, bool rows_apart>
struct streaming_attempt {
  static constexpr stream_outcome result = [] {
    stream_outcome o;
    const std::uint16_t along = dim_of_graph(source::built, time);
    if (along == 0) {
      o.made.fail(228, source::built.latest, "stream: the model has no dim ", time, "; it has ",
                  symbols_of(source::built));
      return o;
    }
    step_writer pass{source::built, o.made, along, rows_apart};
    pass.run();
    if (pass.kept_count > o.most_kept)
      o.made.fail(229, source::built.latest, "stream: a model keeps at most ", o.most_kept,
                  " values that do not depend on ", time, ", found ", pass.kept_count);
    o.kept_count = o.made.error.empty() ? pass.kept_count : 0;
    for (int i = 0; i < o.kept_count; ++i) {
      o.kept_from[i] = pass.kept_values[i].from;
      o.kept_state[i] = o.made.nodes[pass.kept_values[i].state].settings.entry.index;
    }
    o.states = pass.states;
    o.batch = pass.batch;
    o.stride = pass.stride;
    o.latency = pass.latency;
    o.rows_refused = pass.rows_refused;
    o.rows_mixed = pass.rows_mixed;
    o.not_rewound = pass.not_rewound;
    return o;
  }();
};

/// The step, with rows at positions of their own where the declaration allows it.
template <class source, dim time>
struct streamed_step {
  static constexpr bool rows_apart = !streaming_attempt<source, time, true>::result.rows_refused;
  static constexpr const auto& result = streaming_attempt<source, time, rows_apart>::result;
  static constexpr const graph& built = result.made;
  static constexpr sentence error = built.error;
  static constexpr const char* call = "step";
};

/// The sentence for what rows of a stream do by themselves; empty where they can.
template <class source, dim time>
struct checked_rows {
  static constexpr sentence check() {
    if constexpr (!streamed_step<source, time>::rows_apart)
      return streaming_attempt<source, time, true>::result.made.error;
    sentence s;
    if (streamed_step<source, time>::result.batch == 0)
      s << "stream: no input has a batch axis before " << time
        << ", known at run time, of which to take a row" << sentence_id{318};
    return s;
  }
  static constexpr sentence error = check();
};

/// The sentence for why a stream cannot forget its newest positions; empty where it can.
template <class source, dim time>
struct checked_rewind {
  static constexpr sentence error = streamed_step<source, time>::result.not_rewound;
};

/// The sentence for why rows of a stream cannot change places; empty where they can.
template <class source, dim time>
struct checked_order {
  static constexpr sentence check() {
    if constexpr (streamed_step<source, time>::result.rows_mixed)
      return streaming_attempt<source, time, true>::result.made.error;
    return {};
  }
  static constexpr sentence error = check();
};

} // namespace detail

template <dim time>
struct passes::stream_step {
  static constexpr const char* name = "stream_step";
  template <class before>
  using made = detail::streamed_step<before, time>;
};

} // namespace fovea::core
