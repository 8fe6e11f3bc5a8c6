// expect: {file}:{line}: APP score expects a model of tokens [B, T], perhaps types [B, T] with the output logits [B, T, vocab];
//         found one of tokens [B, T] with logits [B, 2] [F0339]
#include <fovea/dsl.hpp>
#include <fovea/programs/model_terms.hpp>

using namespace fovea;

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = embedding(g.input<i32>("tokens", {"B", "T"}), "words", 8, 4);
#ifdef ILL_FORMED
  g.output("logits", linear(mean(x, axis(1)), "out", 2)); // <- here
#else
  g.output("logits", linear(x, "out", 8));
#endif
});

struct network {
  static int make();
};
using maker = int (*)();
inline const maker made = programs::made_where_fits<std::remove_const_t<decltype(m)>, programs::terms::score>(
    []<class M> { return &network::make; });
