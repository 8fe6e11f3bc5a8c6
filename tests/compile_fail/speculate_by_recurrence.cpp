// expect: {file}:{line}: in "rnn": gru: a stream cannot be rewound along T: it keeps only what the next position needs; save
//         the state before a step, and load it instead [F0400]
// lines: 15: speculate calls the reader, which calls the stream
#include <fovea/decoding.hpp>
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = embedding(g.input<i32>("tokens", {B, T}), "embed", 50, 8);
#ifdef ILL_FORMED
  const expr h = gru(x, "rnn", 8); // <- here
#else
  const expr h = attention(x, x, x, {.mask = causal});
#endif
  g.output("logits", linear(h, "head", 50));
});

void run(const model_weights& from) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  stream_reader reader(live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  lookup_draft draft;
  speculate(reader, draft, {1, 2}, {}, {});
}
