// expect: {file}:{line}: gather: expected int32 ids, found float32 [1000, 64]; the table comes first [F0051]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr ids = g.input<i32>("ids", {B, T});
  expr table = parameter(ids, "table", {1000, 64});
#ifdef ILL_FORMED
  expr y = gather(ids, table); // <- here
#else
  expr y = gather(table, ids);
#endif
  g.output("y", y);
});
