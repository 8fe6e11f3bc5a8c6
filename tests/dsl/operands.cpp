#include <catch2/catch.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "refused.hpp"

using namespace fovea;
using namespace fovea::core;

// What holds for every word, whatever it does: what it says of operands that no word can use, and that it
// leaves the first sentence alone.

namespace {

constexpr dim B{"B"}, T{"T"};

struct operands {
  expr x, y;    // float32 [B, T, 8]
  expr ids;     // int32 [B, T]
  expr lengths; // int32 [B]
};
constexpr std::size_t operand_count = 4;

constexpr expr& operand(operands& o, std::size_t i) {
  expr* all[] = {&o.x, &o.y, &o.ids, &o.lengths};
  return *all[i];
}

operands operands_of(graph& g) {
  return {g.input<f32>("x", {B, T, 8}), g.input<f32>("y", {B, T, 8}), g.input<i32>("ids", {B, T}),
          g.input<i32>("lengths", {B})};
}

/// A word with operands that fit it, of which it uses some.
struct word {
  const char* name;
  expr (*of)(const operands&);
  bool x, y, ids, lengths; // whether it takes them
  bool any_type = false;   // x and y may be int32

  constexpr bool takes(std::size_t i) const {
    const bool all[] = {x, y, ids, lengths};
    return all[i];
  }
};

constexpr expr scores(expr x, expr y) { return matmul(x, transpose(y)); }

constexpr word words[] = {
    {"linear", [](const operands& o) { return linear(o.x, "l", 3); }, true, false, false, false},
    {"linear by a weight",
     [](const operands& o) { return linear(o.x, parameter(o.y, "w", {3, 8}), parameter(o.y, "b", {3})); },
     true, false, false, false},
    {"transpose", [](const operands& o) { return transpose(o.x); }, true, false, false, false, true},
    {"matmul", [](const operands& o) { return matmul(o.x, transpose(o.y)); }, true, true, false, false},
    {"gather", [](const operands& o) { return gather(o.x, o.ids); }, true, false, true, false, true},
    {"embedding", [](const operands& o) { return embedding(o.ids, "e", 9, 4); }, false, false, true, false},
    {"bilinear", [](const operands& o) { return bilinear(o.x, o.y, "b", 3); }, true, true, false, false},
    {"contract", [](const operands& o) { return contract(o.x, o.y, 8); }, true, true, false, false},
    {"contract, another order", [](const operands& o) { return contract(o.x, o.y, {8, T}); }, true, true,
     false, false},

    {"+", [](const operands& o) { return o.x + o.y; }, true, true, false, false, true},
    {"+ a number", [](const operands& o) { return 1 + o.x; }, true, false, false, false, true},
    {"!=", [](const operands& o) { return o.x != o.y; }, true, true, false, false, true},
    {">=", [](const operands& o) { return o.x >= o.y; }, true, true, false, false, true},
    {"&&", [](const operands& o) { return o.x < 0 && o.y < 0; }, true, true, false, false, true},
    {"exp", [](const operands& o) { return exp(o.x); }, true, false, false, false, true},
    {"dropout", [](const operands& o) { return dropout(o.x, 0.5); }, true, false, false, false},
    {"where", [](const operands& o) { return where(o.x < o.y, o.x, o.y); }, true, true, false, false, true},
    {"where of numbers", [](const operands& o) { return where(o.x < 0, 1, 2); }, true, false, false, false,
     true},
    {"map", [](const operands& o) { return map(o.x, o.y, [](scalar a, scalar b) { return a * b + 1; }); },
     true, true, false, false, true},
    {"map of three",
     [](const operands& o) {
       return map(o.x, o.y, o.x, [](scalar a, scalar b, scalar c) { return where(a < b, c, exp(a)); });
     },
     true, true, false, false, true},

    {"layer_norm", [](const operands& o) { return layer_norm(o.x, "n"); }, true, false, false, false},
    {"layer_norm over axes",
     [](const operands& o) { return layer_norm(reshape(o.x, {B, T, 2, 4}), "n", {.affine = false, .axes = {axis(-1), axis(2)}}); },
     true, false, false, false},
    {"rms_norm", [](const operands& o) { return rms_norm(o.x, "n"); }, true, false, false, false},
    {"batch_norm", [](const operands& o) { return batch_norm(o.x, "n"); }, true, false, false, false},
    {"group_norm", [](const operands& o) { return group_norm(o.x, "n", 2); }, true, false, false, false},
    {"softmax", [](const operands& o) { return softmax(o.x); }, true, false, false, false},
    {"softmax along T", [](const operands& o) { return softmax(o.x, T); }, true, false, false, false},

    {"sum", [](const operands& o) { return sum(o.x, T); }, true, false, false, false},
    {"mean", [](const operands& o) { return mean(o.x, T, {.keep = true}); }, true, false, false, false},
    {"argmax", [](const operands& o) { return argmax(o.x, axis(-1)); }, true, false, false, false},

    {"reshape", [](const operands& o) { return reshape(o.x, {B * T, 8}); }, true, false, false, false, true},
    {"unsqueeze", [](const operands& o) { return unsqueeze(o.x, 1); }, true, false, false, false, true},
    {"permute", [](const operands& o) { return permute(o.x, {1, 0, -1}); }, true, false, false, false, true},
    {"broadcast", [](const operands& o) { return broadcast(o.x, {2, B, T, 8}); }, true, false, false, false,
     true},
    {"zeros", [](const operands& o) { return zeros(o.x, {B, 8}); }, false, false, false, false},
    {"slice", [](const operands& o) { return slice(o.x, axis(-1), 1, -1); }, true, false, false, false, true},
    {"last", [](const operands& o) { return last(o.x, T); }, true, false, false, false, true},
    {"split", [](const operands& o) { return split<2>(o.x)[1]; }, true, false, false, false, true},
    {"concat", [](const operands& o) { return concat(axis(-1), o.x, o.y); }, true, true, false, false, true},
    {"pad", [](const operands& o) { return pad(o.x, T, 1, 1); }, true, false, false, false, true},
    {"reverse", [](const operands& o) { return reverse(o.x, T); }, true, false, false, false, true},

    {"attention", [](const operands& o) { return attention(o.x, o.y, o.y, {.heads = 2}); }, true, true, false,
     false},
    {"attention by padding",
     [](const operands& o) { return attention(o.x, o.y, o.y, {.mask = padding(o.lengths)}); }, true, true,
     false, true},
    {"attention by prefix",
     [](const operands& o) { return attention(o.x, o.y, o.y, {.mask = causal | prefix(o.lengths)}); }, true,
     true, false, true},
    {"attention by a table",
     [](const operands& o) {
       const expr biases = parameter(o.x, "biases", {9});
       return attention(o.x, o.y, o.y,
                        {.score = [biases](scalar s, scalar q, scalar k) { return s + at(biases, q - k); }});
     },
     true, true, false, false},
    {"attention by a bias",
     [](const operands& o) { return attention(o.x, o.x, o.x, {.bias = unsqueeze(scores(o.y, o.y), 1)}); },
     true, true, false, false},
    {"attention by general",
     [](const operands& o) { return attention(o.x, o.y, o.y, {.score = general("g")}); }, true, true, false,
     false},
    {"attention by additive",
     [](const operands& o) { return attention(o.x, o.y, o.y, {.score = additive("a", 3)}); }, true, true,
     false, false},
    {"attention by concatenated",
     [](const operands& o) { return attention(o.x, o.y, o.y, {.score = concatenated("c", 3)}); }, true, true,
     false, false},
    {"attention with relative biases",
     [](const operands& o) {
       return attention(o.x, o.y, o.y, {.heads = 2, .score = relative_bias(o.x, "r", {.heads = 2})});
     },
     true, true, false, false},
    {"hard attention", [](const operands& o) { return attention(o.x, o.y, o.y, {.mode = hard}); }, true, true,
     false, false},
    {"local attention", [](const operands& o) { return attention(o.x, o.y, o.y, {.mode = local_m(2)}); },
     true, true, false, false},
    {"local attention around centres",
     [](const operands& o) { return attention(o.x, o.y, o.y, {.heads = 2, .mode = local_m(2, o.ids)}); },
     true, true, true, false},
    {"local attention that predicts",
     [](const operands& o) {
       return attention(o.x, o.y, o.y, {.mode = local_p("p", 4, 2, o.lengths), .dropout = 0.1});
     },
     true, true, false, true},
    {"attention_map", [](const operands& o) { return attention_map(o.x, o.y, o.y, {.heads = 2}); }, true,
     true, false, false},
    {"attend", [](const operands& o) { return attend(scores(o.x, o.y), o.y); }, true, true, false, false},
    {"hard attend", [](const operands& o) { return attend(scores(o.x, o.y), o.y, {.mode = hard}); }, true,
     true, false, false},
    {"local attend",
     [](const operands& o) { return attend(scores(o.x, o.y), o.y, {.mode = local_m(1, o.ids)}); }, true, true,
     true, false},
    {"attend_map", [](const operands& o) { return attend_map(scores(o.x, o.y), o.y); }, true, true, false,
     false},
    {"last_attention_map",
     [](const operands& o) { return last_attention_map(attention(o.x, o.y, o.y, {.heads = 2})); }, true, true,
     false, false},

    {"elman", [](const operands& o) { return expr(elman(o.x, "r", 4)); }, true, false, false, false},
    {"gru", [](const operands& o) { return expr(gru(o.x, "r", 4, {.lengths = o.lengths})); }, true, false,
     false, true},
    {"lstm",
     [](const operands& o) {
       const expr first = last(linear(o.y, "first", 4), T);
       return expr(lstm(o.x, "r", 4,
                        {.layers = 1, .initial = {.count = 1, .hidden = {first}, .cell = {first}}}));
     },
     true, true, false, false},
    {"bidirectional",
     [](const operands& o) { return expr(bidirectional(gru, o.x, "r", 4, {.layers = 2, .dropout = 0.1})); },
     true, false, false, false},
    {"a step of a cell",
     [](const operands& o) { return gru.step(o.x, {linear(o.y, "state", 4)}, "r", 4)[0]; }, true, true, false,
     false},
    {"states_of", [](const operands& o) { return states_of(reshape(o.y, {8, B, T})).hidden[7]; }, false, true,
     false, false},
    {"stack_states",
     [](const operands& o) {
       return stack_states(recurrent_state{.count = 2, .hidden = {o.x, o.y}}.hidden, 2);
     },
     true, true, false, false, true},

    {"conv1d", [](const operands& o) { return conv1d(o.x, "c", 4, 3, {.padding = same}); }, true, false,
     false, false},
    {"conv2d", [](const operands& o) { return conv2d(unsqueeze(o.x, 1), "c", 4, {1, 3}); }, true, false,
     false, false},
    {"conv_transpose1d", [](const operands& o) { return conv_transpose1d(o.x, "c", 4, 3); }, true, false,
     false, false},
    {"max_pool", [](const operands& o) { return max_pool(o.x, 2, {.round_up = true}); }, true, false, false,
     false},
    {"avg_pool", [](const operands& o) { return avg_pool(o.x, 2); }, true, false, false, false},

    {"learned_positions",
     [](const operands& o) {
       return learned_positions(o.x, "p", {.context = 32, .width = 8});
     },
     true, false, false, false, true},
    {"sinusoidal_positions", [](const operands& o) { return sinusoidal_positions(o.x); }, true, false, false,
     false, true},
    {"normalised_positions", [](const operands& o) { return normalised_positions(o.x); }, true, false, false,
     false, true},
    {"rope", [](const operands& o) { return rope(o.x, {.heads = 2}); }, true, false, false, false},

    {"cross_entropy", [](const operands& o) { return cross_entropy(o.x, o.ids); }, true, false, true, false},
    {"elu", [](const operands& o) { return elu(o.x); }, true, false, false, false, true},
    {"leaky_relu", [](const operands& o) { return leaky_relu(o.x); }, true, false, false, false, true},
    {"mish", [](const operands& o) { return mish(o.x); }, true, false, false, false, true},
    {"hardswish", [](const operands& o) { return hardswish(o.x); }, true, false, false, false, true},
    {"clamp", [](const operands& o) { return clamp(o.x, -1, o.y); }, true, true, false, false, true},
    {"clamp above", [](const operands& o) { return clamp(o.x, o.y, 1); }, true, true, false, false, true},
    {"log_sum_exp", [](const operands& o) { return log_sum_exp(o.x, T); }, true, false, false, false},
    {"variance", [](const operands& o) { return variance(o.x, T); }, true, false, false, false},
    {"one_hot", [](const operands& o) { return one_hot(o.ids, 5); }, false, false, true, false},
    {"stack", [](const operands& o) { return stack(0, o.x, o.y); }, true, true, false, false, true},
    {"roll", [](const operands& o) { return roll(o.x, T, 1); }, true, false, false, false, true},
    {"huber", [](const operands& o) { return huber(o.x, o.y); }, true, true, false, false},
    {"binary_cross_entropy", [](const operands& o) { return binary_cross_entropy(o.x, o.y); }, true, true, false, false},
    {"kl_divergence", [](const operands& o) { return kl_divergence(o.x, o.y); }, true, true, false, false},
    {"mse", [](const operands& o) { return mse(o.x, o.y); }, true, true, false, false},

    {"repeat",
     [](const operands& o) {
       return repeat("h", 2, o.x, [](expr z) { return linear(z, "l", 8); });
     },
     true, false, false, false},
    {"repeat of two",
     [](const operands& o) {
       return repeat("h", 2, std::array{o.x, o.y}, [](std::array<expr, 2> z) {
         return std::array{z[1], z[0] * 2};
       })[0];
     },
     true, true, false, false, true},
    {"scan",
     [](const operands& o) {
       return expr(scan(
           o.x, zeros(o.x, {B, 8}),
           [](expr x, expr s) {
             const expr next = tanh(x + s);
             return scan_step{next, next};
           },
           {.lengths = o.lengths}));
     },
     true, false, false, true, true},
};

/// Calls see(word, graph, operands) for each word, with a graph of its own.
template <class F>
void for_each_word(F see) {
  for (const word& w : words) {
    const auto g = std::make_unique<graph>();
    operands o = operands_of(*g);
    INFO(w.name);
    see(w, *g, o);
  }
}

bool says(const graph& g, const char* what) {
  return std::string(g.error.text).find(what) != std::string::npos;
}

} // namespace

TEST_CASE("every word gives a value of operands that fit it") {
  for_each_word([](const word& w, graph& g, const operands& o) {
    CHECK(w.of(o).valid());
    CHECK(std::string(g.error.text).empty());
  });
}

TEST_CASE("after a mistake no word makes anything, and the first sentence stays") {
  for_each_word([](const word& w, graph& g, const operands& o) {
    g.fail(1, {"model.cpp", 7}, "the first mistake");
    const int nodes = g.node_count;
    CHECK(!w.of(o).valid());
    CHECK(std::string(g.error.text) == "model.cpp:7: the first mistake [F0001]");
    CHECK(g.node_count == nodes);
  });
}

TEST_CASE("what a refused word gives is no value for the next, which says nothing more") {
  for (std::size_t i = 0; i < operand_count; ++i)
    for_each_word([i](const word& w, graph& g, operands& o) {
      if (!w.takes(i)) return;
      operand(o, i) = g.fail(1, {"model.cpp", 7}, "the first mistake");
      CHECK(!w.of(o).valid());
      CHECK(std::string(g.error.text) == "model.cpp:7: the first mistake [F0001]");
    });
}

TEST_CASE("of an empty expr no word makes anything, or it says so") {
  for (std::size_t i = 0; i < operand_count; ++i)
    for_each_word([i](const word& w, graph& g, operands& o) {
      if (!w.takes(i)) return;
      operand(o, i) = {};
      const bool made = w.of(o).valid();
      if (i == 0) CHECK(!made); // others may be left out
      INFO(g.error.text);
      CHECK((g.error.empty() || says(g, "an empty expr")));
    });
}

TEST_CASE("every word refuses an operand of another graph") {
  const auto other = std::make_unique<graph>();
  operands others = operands_of(*other);
  const auto says_so = [](const graph& g) {
    return says(g, "the operands belong to two different graphs") ||
           says(g, "reads a table of another graph");
  };
  for (std::size_t i = 0; i < operand_count; ++i)
    for_each_word([&](const word& w, graph& g, operands& o) {
      const bool alone = (w.x + w.y + w.ids + w.lengths) == 1;
      if (!w.takes(i) || alone) return;
      operand(o, i) = operand(others, i);
      w.of(o);
      INFO(g.error.text << " or " << other->error.text);
      CHECK((says_so(g) || says_so(*other)));
      other->error = {};
    });
}

TEST_CASE("every word refuses an operand of the body of a repeat that is over") {
  for (std::size_t i = 0; i < operand_count; ++i)
    for_each_word([i](const word& w, graph& g, operands& o) {
      if (!w.takes(i)) return;
      operands inside;
      repeat("before", 2, o.x, [&](expr z) {
        inside = {z * 1.0, o.y * 1.0, o.ids * 1, o.lengths * 1};
        return z;
      });
      operand(o, i) = operand(inside, i);
      CHECK(!w.of(o).valid());
      CHECK(says(g, "belongs to the body of a repeat or scan and cannot be used outside it"));
    });
}

TEST_CASE("words of float32 refuse integers, and say how to turn them") {
  for (std::size_t i = 0; i < 2; ++i)
    for_each_word([i](const word& w, graph& g, operands& o) {
      if (!w.takes(i) || w.any_type) return;
      operand(o, i) = g.input<i32>("numbers", {B, T, 8});
      CHECK(!w.of(o).valid());
      INFO(g.error.text);
      CHECK(says(g, "expected float32, found int32 ["));
    });
}

TEST_CASE("a word that finds no place for one of its nodes, operands or dims says so") {
  for_each_word([](const word& w, graph&, const operands&) {
    const auto with_room = [&](int nodes, int operands_left, int dims) {
      const auto g = std::make_unique<graph>();
      const operands o = operands_of(*g);
      g->node_count = graph::max_nodes - nodes;
      g->operand_count = graph::max_operands - operands_left;
      g->dim_count = graph::max_dims - dims;
      const bool made = w.of(o).valid() && g->error.empty();
      INFO(g->error.text << " with room for " << nodes << ", " << operands_left << ", " << dims);
      CHECK((made || says(*g, "a model has at most")));
      return made;
    };
    int nodes = 0, operands_left = 0, dims = 0;
    while (nodes < 200 && !with_room(nodes, 500, 100)) ++nodes;
    while (operands_left < 500 && !with_room(200, operands_left, 100)) ++operands_left;
    while (dims < 100 && !with_room(200, 500, dims)) ++dims;
    CHECK(nodes < 200);
    CHECK(operands_left < 500);
    CHECK(dims < 100);
  });
}
