// expect: {file}:{line}: APP stream expects a model of one input of numbers [B, T, ...] with one output [B, T, ...]; found one of
//         tokens [B, T] with y [B, T, 4] [F0340]
#include <fovea/dsl.hpp>
#include <fovea/programs/model_terms.hpp>

using namespace fovea;

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  g.output("y", embedding(g.input<i32>("tokens", {"B", "T"}), "words", 8, 4)); // <- here
#else
  g.output("y", linear(g.input<f32>("x", {"B", "T", 8}), "out", 4));
#endif
});

template <class M>
inline constexpr auto streams_of = M::view.inputs.size();
inline const std::size_t* const streams =
    programs::made_where_streams<std::remove_const_t<decltype(m)>>([]<class M> { return &streams_of<M>; });
