// What do many texts at once cost? Rows of one stream that take a token each, every row at its own position: where a
// text has 64 tokens it ends, and another begins in its row. GPT-2 small and a Llama of 134 million (bench/formats.cpp),
// weights of no meaning in some formats. The peers' times are those of bench/peers/streams.py.
//
//     streams [--threads N] [--only TEXT] [--json FILE]
//
// A row's time is that of a token of all rows: tokens_a_second are so many times as many.

#include "measure.hpp"
#include "program.hpp"
#include "random_weights.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/gpt2.hpp>
#include <fovea/models/llama.hpp>

#include <string>
#include <vector>

namespace {

using namespace fovea;
using namespace fovea::core;

inline constexpr dim B{"B"}, T{"T"};
constexpr std::size_t length = 64; // of a text
constexpr models::llama_config llama_134m{
    .layers = 12, .heads = 12, .kv_heads = 12, .width = 768, .inner = 2048, .vocab = 32000};

/// Rows whose texts end one after the other, for each begins so many tokens before the next.
class texts {
public:
  explicit texts(std::size_t rows) : left_(rows) {
    for (std::size_t row = 0; row < rows; ++row) left_[row] = 1 + row * length / rows;
  }
  /// After a token of each row; those that end begin anew.
  template <class S>
  void go_on(S& live) {
    for (std::size_t row = 0; row < left_.size(); ++row)
      if (--left_[row] == 0) live.reset(row), left_[row] = length;
  }

private:
  std::vector<std::size_t> left_; // tokens of each row's text
};

template <class format, class M>
void time(const std::string& name, const M& m, const model_weights& from, std::size_t rows,
          bench::report& measured) {
  auto live = stream<T, format>(
      last<T>(m), from,
      {.capacity = {{B, rows}, {T, static_cast<std::int64_t>(length)}}, .threads = measured.threads});
  xt::xtensor<int, 2> ids({rows, 1});
  for (std::size_t row = 0; row < rows; ++row) ids(row, 0) = static_cast<int>(row * 37 % 1000);
  texts all(rows);
  live.begin();
  const auto token = [&] {
    live.step("tokens"_in = ids);
    all.go_on(live);
  };
  for (std::size_t i = 0; i < length; ++i) token(); // until rows stand at all positions
  measured.add("streams/" + name + "/" + std::to_string(rows), bench::times_us(rows < 32 ? 64 : 16, token));
  measured.note("tokens_a_second",
                static_cast<double>(rows) * 1e6 / measured.rows().back()["us"].template get<double>());
}

template <class M>
void measure(const std::string& name, const M& m, const std::string& only, bench::report& measured) {
  const model_weights from = bench::random_weights(m);
  const auto in = [&]<class format>(format) {
    const std::string row = name + "/" + name_of(format_named<format>);
    for (const std::size_t rows : {1u, 8u, 32u, 128u})
      if ((row + "/" + std::to_string(rows)).find(only) != std::string::npos)
        time<format>(row, m, from, rows, measured);
  };
  in(f32{});
  in(integer_products<int8>{});
  in(integer_products<q8_0>{});
  in(integer_products<q4_0>{});
}

} // namespace

int main(int count, char** words) {
  std::string only;
  return bench::run(
      "Times tokens of many texts at once.", count, words,
      [&](bench::report& measured) {
        measure("GPT-2 124M", models::gpt2<models::gpt2_small>, only, measured);
        measure("Llama 134M", models::llama<llama_134m>, only, measured);
      },
      [&](CLI::App& app) { app.add_option("--only", only, "rows whose name holds this text"); });
}
