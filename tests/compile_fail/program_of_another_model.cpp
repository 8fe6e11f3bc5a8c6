// expect: {file}:{line}: APP embed expects a model of tokens [B, T], perhaps types [B, T], perhaps lengths [B] with the output
//         sentence [B, width]; found one of tokens [B, T] with logits [B, 2] [F0339]
#include <fovea/dsl.hpp>
#include <fovea/programs/model_terms.hpp>

using namespace fovea;

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = embedding(g.input<i32>("tokens", {"B", "T"}), "words", 8, 4);
#ifdef ILL_FORMED
  g.output("logits", linear(mean(x, axis(1)), "out", 2)); // <- here
#else
  g.output("sentence", mean(x, axis(1)));
#endif
});

inline int embeds() {
  using M = std::remove_const_t<decltype(m)>;
  if constexpr (programs::fits<M, programs::terms::embed>)
    return 0;
  else
    return programs::refuse<M, programs::terms::embed>();
}
