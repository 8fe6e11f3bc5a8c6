// expect: {file}:{line}: DRAFT expects a small model with logits of the 8 tokens that MODEL has; found 9 [F0401]
#include <fovea/dsl.hpp>
#include <fovea/programs/model_terms.hpp>

using namespace fovea;

template <int tokens>
inline constexpr auto m = model("m", [](graph& g) {
  g.output("logits", embedding(g.input<i32>("tokens", {"B", "T"}), "words", tokens, tokens)); // <- here
});
template <int tokens>
using model_of = std::remove_const_t<decltype(m<tokens>)>;

#ifdef ILL_FORMED
constexpr int of_draft = 9;
#else
constexpr int of_draft = 8;
#endif

template <class M, class D>
int made() {
  if constexpr (programs::fits_as_draft<M, D>) return 0;
  else
    return programs::refuse_draft<M, D>();
}
inline const int status = made<model_of<8>, model_of<of_draft>>();
