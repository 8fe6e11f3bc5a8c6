// What fovea_add_library makes, called as C calls it: on weights drawn here, beside the same model called here.

#include "../file_content.hpp"
#include "../programs/tiny.hpp"
#include "../weights/temporary_folder.hpp"

#include <tiny_embedding.h>
#include <tiny_filtering.h>
#include <tiny_writing.h>

#include <fovea/fovea.hpp>
#include <fovea/tokenizers.hpp>
#include <fovea/weights/save_weights.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <new>
#include <string>
#include <thread>
#include <vector>

using namespace fovea;

namespace {

template <class M>
std::string draw(const temporary_folder& folder, const M& model) {
  const std::string file = (folder / "weights.safetensors").string();
  save_weights<f32>(file, model, initial_weights(model, 3));
  return file;
}

template <class T>
fovea_tensor tensor(const char* name, std::int32_t type, std::vector<std::int64_t> shape,
                    const std::vector<T>& values) {
  fovea_tensor t{name, type, static_cast<std::int32_t>(shape.size()), {}, values.data()};
  std::copy(shape.begin(), shape.end(), t.shape);
  return t;
}

std::vector<float> floats_of(const fovea_tensor* t) {
  REQUIRE(t != nullptr);
  REQUIRE(t->type == FOVEA_FLOAT32);
  std::size_t count = 1;
  for (int i = 0; i < t->rank; ++i) count *= static_cast<std::size_t>(t->shape[i]);
  const auto* first = static_cast<const float*>(t->data);
  return {first, first + count};
}
template <class view>
std::vector<float> floats_in(const view& values) {
  return {values.begin(), values.end()};
}

const std::vector<int> ids{1, 2, 3, 4, 5, 6};
const std::vector<int> lengths{3, 2};

/// The embedder of two texts, as it is called here.
std::vector<float> expected_vectors(const std::string& weights) {
  auto net = compile(tiny::embed, load_weights(weights), {.capacity = {{"B", 3}, {"T", 8}}});
  const auto out = net("tokens"_in = xt::adapt(ids, {2, 3}), "lengths"_in = xt::adapt(lengths, {2}));
  return floats_in(out["sentence"_out]);
}

/// The same two texts by the library.
int run(tiny_embedding_model* model) {
  const fovea_tensor inputs[] = {tensor("lengths", FOVEA_INT32, {2}, lengths),
                                 tensor("tokens", FOVEA_INT32, {2, 3}, ids)};
  return tiny_embedding_run(model, inputs, 2);
}

} // namespace

TEST_CASE("a library runs a model by tensors with names") {
  const temporary_folder folder;
  const std::string weights = draw(folder, tiny::embed);
  tiny_embedding_model* model = tiny_embedding_open(weights.c_str(), nullptr);
  REQUIRE(model != nullptr);
  CHECK(tiny_embedding_output(model, "sentence") == nullptr);
  CHECK(std::string(tiny_embedding_error()) ==
        "outputs: expected a run or step before they are asked for, found none");

  REQUIRE(run(model) == FOVEA_OK);
  const fovea_tensor* out = tiny_embedding_output(model, "sentence");
  CHECK(floats_of(out) == expected_vectors(weights));
  CHECK(std::string(out->name) == "sentence");
  CHECK(out->rank == 2);
  CHECK(out->shape[0] == 2);
  CHECK(out->shape[1] == 4);

  SECTION("integers of 64 bits are converted") {
    const std::vector<std::int64_t> long_ids(ids.begin(), ids.end()),
        long_lengths(lengths.begin(), lengths.end());
    const fovea_tensor inputs[] = {tensor("tokens", FOVEA_INT64, {2, 3}, long_ids),
                                   tensor("lengths", FOVEA_INT64, {2}, long_lengths)};
    REQUIRE(tiny_embedding_run(model, inputs, 2) == FOVEA_OK);
    CHECK(floats_of(tiny_embedding_output(model, "sentence")) == expected_vectors(weights));
  }
  SECTION("a copy has its own memory over the same weights") {
    tiny_embedding_model* copy = tiny_embedding_copy(model);
    REQUIRE(copy != nullptr);
    CHECK(tiny_embedding_output(copy, "sentence") == nullptr);
    tiny_embedding_close(model);
    model = nullptr;
    REQUIRE(run(copy) == FOVEA_OK);
    CHECK(floats_of(tiny_embedding_output(copy, "sentence")) == expected_vectors(weights));
    tiny_embedding_close(copy);
  }
  SECTION("weights in memory") {
    const std::string bytes = content(core::file_path(weights));
    tiny_embedding_model* other = tiny_embedding_open_bytes(bytes.data(), bytes.size(), nullptr);
    REQUIRE(other != nullptr);
    REQUIRE(run(other) == FOVEA_OK);
    CHECK(floats_of(tiny_embedding_output(other, "sentence")) == expected_vectors(weights));
    tiny_embedding_close(other);
  }
  SECTION("separate handles in separate threads") {
    std::vector<std::thread> threads;
    std::vector<std::vector<float>> found(4);
    for (std::size_t i = 0; i < found.size(); ++i)
      threads.emplace_back([&, i] {
        tiny_embedding_model* own = tiny_embedding_copy(model);
        for (int again = 0; own != nullptr && again < 100; ++again) run(own);
        const fovea_tensor* t = tiny_embedding_output(own, "sentence");
        if (t != nullptr)
          found[i].assign(static_cast<const float*>(t->data), static_cast<const float*>(t->data) + 8);
        tiny_embedding_close(own);
      });
    for (std::thread& t : threads) t.join();
    for (const std::vector<float>& values : found) CHECK(values == expected_vectors(weights));
  }
  tiny_embedding_close(model);
  tiny_embedding_close(nullptr);
}

TEST_CASE("a library says what its model takes and gives, and what it is") {
  std::size_t count = 0;
  const fovea_port* inputs = tiny_embedding_inputs(&count);
  REQUIRE(count == 2);
  CHECK(std::string(inputs[0].name) == "tokens");
  CHECK(inputs[0].type == FOVEA_INT32);
  CHECK(inputs[0].rank == 2);
  CHECK(std::string(inputs[0].dims[0]) == "B");
  CHECK(std::string(inputs[0].dims[1]) == "T");
  CHECK(inputs[0].sizes[0] == 0);
  CHECK(std::string(inputs[1].name) == "lengths");
  const fovea_port* outputs = tiny_embedding_outputs(&count);
  REQUIRE(count == 1);
  CHECK(std::string(outputs[0].name) == "sentence");
  CHECK(outputs[0].type == FOVEA_FLOAT32);
  CHECK(outputs[0].dims[1] == nullptr);
  CHECK(outputs[0].sizes[1] == 4);
  CHECK(std::string(tiny_embedding_version()) ==
        "tiny_embedding: tiny::embed, weights in f32, baseline, Fovea " FOVEA_VERSION);
}

TEST_CASE("what does not fit a model is one sentence, and nothing has run") {
  const temporary_folder folder;
  const std::string weights = draw(folder, tiny::embed);
  tiny_embedding_model* model = tiny_embedding_open(weights.c_str(), nullptr);
  REQUIRE(run(model) == FOVEA_OK);

  const fovea_tensor tokens = tensor("tokens", FOVEA_INT32, {2, 3}, ids);
  const fovea_tensor of_lengths = tensor("lengths", FOVEA_INT32, {2}, lengths);
  const std::vector<float> floats(6, 1.0f);
  const std::vector<std::int64_t> large{1, 2, 3, 4, 5, std::int64_t{1} << 40};
  const std::vector<int> beyond{1, 2, 3, 4, 5, 8};
  const auto changed = [&](auto change) {
    fovea_tensor t = tokens;
    change(t);
    return t;
  };
  struct wrong {
    std::vector<fovea_tensor> inputs;
    const char* sentence;
  };
  const wrong cases[] = {
      {{tokens}, "the input \"lengths\" is missing"},
      {{tokens, of_lengths, tokens}, "the input \"tokens\" is given twice"},
      {{tokens, tensor("length", FOVEA_INT32, {2}, lengths)},
       "there is no input \"length\"; the inputs are \"tokens\", \"lengths\""},
      {{changed([](fovea_tensor& t) { t.name = nullptr; }), of_lengths},
       "there is no input NULL; the inputs are \"tokens\", \"lengths\""},
      {{tensor("tokens", FOVEA_FLOAT32, {2, 3}, floats), of_lengths},
       "input \"tokens\" [B, T]: expected int32 or int64, found float32"},
      {{changed([](fovea_tensor& t) { t.type = 9; }), of_lengths},
       "input \"tokens\" [B, T]: expected FOVEA_FLOAT32 or another type, found 9"},
      {{tokens, tensor("lengths", FOVEA_INT32, {2, 1}, lengths)},
       "input \"lengths\" [B]: expected 1 axis, found 2"},
      {{changed([](fovea_tensor& t) { t.rank = -1; }), of_lengths},
       "input \"tokens\" [B, T]: expected 2 axes, found -1"},
      {{changed([](fovea_tensor& t) { t.shape[1] = 0; }), of_lengths},
       "input \"tokens\" [B, T]: axis 1 is 0, expected at least 1"},
      {{changed([](fovea_tensor& t) { t.shape[0] = -2; }), of_lengths},
       "input \"tokens\" [B, T]: axis 0 is -2, expected at least 1"},
      {{changed([](fovea_tensor& t) { t.shape[0] = std::numeric_limits<std::int64_t>::max(); }), of_lengths},
       "input \"tokens\" [B, T]: axis 0 is 9223372036854775807, expected at most 2147483647"},
      {{changed([](fovea_tensor& t) { t.data = nullptr; }), of_lengths},
       "input \"tokens\" [B, T]: expected numbers, found NULL"},
      {{tensor("tokens", FOVEA_INT64, {2, 3}, large), of_lengths},
       "input \"tokens\" [B, T]: 1099511627776 does not fit 32 bits"},
      // What the model itself checks.
      {{tensor("tokens", FOVEA_INT32, {2, 3}, beyond), of_lengths},
       "input \"tokens\" [B, T]: tokens[1, 2] is 8, expected 0 to 7"},
      {{changed([](fovea_tensor& t) { t.shape[0] = 3; }), of_lengths},
       "input \"lengths\" [B]: axis 0 (B) is 2, but another input has B = 3"},
      {{changed([](fovea_tensor& t) { t.shape[1] = 9; }), of_lengths},
       "input \"tokens\" [B, T]: axis 1 (T) is 9, expected 1 to 8, the capacity of T"},
  };
  for (const wrong& c : cases) {
    CHECK(tiny_embedding_run(model, c.inputs.data(), c.inputs.size()) == FOVEA_REFUSED);
    CHECK(std::string(tiny_embedding_error()) == c.sentence);
    CHECK(floats_of(tiny_embedding_output(model, "sentence")) == expected_vectors(weights));
  }
  CHECK(tiny_embedding_run(model, nullptr, 2) == FOVEA_REFUSED);
  CHECK(std::string(tiny_embedding_error()) == "inputs: expected 2, found NULL");
  CHECK(tiny_embedding_run(nullptr, nullptr, 0) == FOVEA_REFUSED);
  CHECK(std::string(tiny_embedding_error()) ==
        "model or stream: expected what an open or copy has given, found NULL");
  CHECK(tiny_embedding_copy(nullptr) == nullptr);
  CHECK(tiny_embedding_output(nullptr, "sentence") == nullptr);
  CHECK(tiny_embedding_output(model, "vector") == nullptr);
  CHECK(std::string(tiny_embedding_error()) == "there is no output \"vector\"; the outputs are \"sentence\"");
  tiny_embedding_close(model);
}

TEST_CASE("what cannot be opened is one sentence") {
  const temporary_folder folder;
  const std::string weights = draw(folder, tiny::embed);
  const auto why = [&](const char* file, const fovea_options* options) {
    tiny_embedding_model* model = tiny_embedding_open(file, options);
    CHECK(model == nullptr);
    tiny_embedding_close(model);
    return std::string(tiny_embedding_error());
  };
  CHECK(why(nullptr, nullptr) == "weights: expected a file, since the library is built without; found NULL");
  CHECK_THAT(why((folder / "none").string().c_str(), nullptr), Catch::Matchers::Contains("none"));
  CHECK(tiny_embedding_open_bytes(nullptr, 3, nullptr) == nullptr);
  CHECK(std::string(tiny_embedding_error()) == "weights in memory: expected bytes, found NULL");
  CHECK(tiny_embedding_open_bytes("GGU", 3, nullptr) == nullptr);
  CHECK_THAT(tiny_embedding_error(), Catch::Matchers::Contains("weights in memory"));

  const fovea_capacity unnamed{nullptr, 3}, unknown{"S", 3}, none{"T", 0}, long_name{"a_name_of_a_dim_", 3};
  fovea_options options{};
  options.capacities = 1;
  CHECK(why(weights.c_str(), &options) == "capacity: expected 1 of them, found NULL");
  options.capacity = &unnamed;
  CHECK(why(weights.c_str(), &options) == "capacity: expected the name of a dim, found NULL");
  options.capacity = &long_name;
  CHECK(why(weights.c_str(), &options) == "capacity: expected the name of a dim, found \"a_name_of_a_dim_\"");
  options.capacity = &unknown;
  CHECK(why(weights.c_str(), &options) == "capacity of S: the model has no such dim");
  options.capacity = &none;
  CHECK(why(weights.c_str(), &options) == "capacity of T: expected at least 1, found 0");
  options = {};
  options.threads = -1;
  CHECK(why(weights.c_str(), &options) == "threads: expected at least 0, found -1");
  options = {};
  options.release = [](void*, void*) {};
  CHECK(why(weights.c_str(), &options) ==
        "allocate and release: expected both or neither, found one of them");
}

TEST_CASE("a caller's capacity takes the place of the library's") {
  const temporary_folder folder;
  const std::string weights = draw(folder, tiny::embed);
  const fovea_capacity one_text{"B", 1};
  fovea_options options{};
  options.capacity = &one_text;
  options.capacities = 1;
  tiny_embedding_model* model = tiny_embedding_open(weights.c_str(), &options);
  REQUIRE(model != nullptr);
  CHECK(run(model) == FOVEA_REFUSED);
  CHECK_THAT(tiny_embedding_error(), Catch::Matchers::Contains("expected 1 to 1, the capacity of B"));
  tiny_embedding_close(model);
}

namespace {

/// Memory that a caller lends: pieces that are still out, and how many there may be.
struct lender {
  std::map<void*, std::align_val_t> out;
  std::size_t given = 0, most = std::numeric_limits<std::size_t>::max();

  static void* allocate(void* self, std::size_t bytes, std::size_t alignment) {
    auto& from = *static_cast<lender*>(self);
    if (from.given == from.most) return nullptr;
    void* const piece = ::operator new(bytes, std::align_val_t(alignment));
    from.out.emplace(piece, std::align_val_t(alignment));
    ++from.given;
    return piece;
  }
  static void release(void* self, void* piece) {
    const auto found = static_cast<lender*>(self)->out.extract(piece);
    REQUIRE(found);
    ::operator delete(piece, found.mapped());
  }
  fovea_options options() {
    fovea_options o{};
    o.allocate = allocate;
    o.release = release;
    o.memory = this;
    return o;
  }
};

} // namespace

TEST_CASE("a caller lends memory") {
  const temporary_folder folder;
  const std::string weights = draw(folder, tiny::embed);
  lender from;
  const fovea_options options = from.options();
  tiny_embedding_model* model = tiny_embedding_open(weights.c_str(), &options);
  REQUIRE(model != nullptr);
  const std::size_t opened = from.given;
  CHECK(opened > 0);
  REQUIRE(run(model) == FOVEA_OK);
  CHECK(from.given == opened); // a run takes none
  CHECK(floats_of(tiny_embedding_output(model, "sentence")) == expected_vectors(weights));
  tiny_embedding_model* copy = tiny_embedding_copy(model);
  CHECK(from.given > opened);
  tiny_embedding_close(model);
  CHECK_FALSE(from.out.empty());
  REQUIRE(run(copy) == FOVEA_OK);
  tiny_embedding_close(copy);
  CHECK(from.out.empty());

  // What is made without is the system's again.
  const std::size_t before = from.given;
  tiny_embedding_close(tiny_embedding_open(weights.c_str(), nullptr));
  CHECK(from.given == before);

  // Wherever it ends, all is given back.
  for (std::size_t most = 0; most < opened; ++most) {
    lender few;
    few.most = most;
    const fovea_options too_few = few.options();
    CHECK(tiny_embedding_open(weights.c_str(), &too_few) == nullptr);
    CHECK_THAT(tiny_embedding_error(), Catch::Matchers::Contains("memory"));
    CHECK(few.out.empty());
  }
}

TEST_CASE("a caller lends threads") {
  const temporary_folder folder;
  const std::string weights = draw(folder, tiny::embed);
  std::size_t calls = 0;
  fovea_options options{};
  options.threads = 3;
  options.executor = &calls;
  options.execute = [](void* executor, std::size_t count, void (*task)(void*, std::size_t), void* job) {
    ++*static_cast<std::size_t*>(executor);
    for (std::size_t i = 0; i < count; ++i) task(job, i);
  };
  tiny_embedding_model* model = tiny_embedding_open(weights.c_str(), &options);
  REQUIRE(model != nullptr);
  REQUIRE(run(model) == FOVEA_OK);
  CHECK(floats_of(tiny_embedding_output(model, "sentence")) == expected_vectors(weights));
  tiny_embedding_close(model);

  // What is worth sharing goes to them, a copy's too.
  const std::string large = (folder / "large.safetensors").string();
  const auto wide = [](graph& g) { g.output("y", linear(g.input<f32>("x", {"B", 256}), "fc", 256)); };
  constexpr auto wide_model = fovea::model("wide", wide);
  save_weights<f32>(large, wide_model, initial_weights(wide_model, 1));
  compile_options how{.capacity = {{"B", 256}}, .threads = 3, .lent = {options.execute, &calls}};
  auto net = compile(wide_model, load_weights(large), how);
  CHECK(net.threads() == 3);
  const xt::xtensor<float, 2> x = xt::ones<float>({256, 256});
  calls = 0;
  const xt::xtensor<float, 2> y = net("x"_in = x)["y"_out];
  const std::size_t of_a_call = calls;
  CHECK(of_a_call > 0);
  auto copy = net;
  CHECK(copy("x"_in = x)["y"_out] == y);
  CHECK(calls == 2 * of_a_call);
  how.lent = {};
  auto own = compile(wide_model, load_weights(large), how);
  CHECK(own("x"_in = x)["y"_out] == y);
}

TEST_CASE("a stream gives what the whole sequence gives") {
  const temporary_folder folder;
  const std::string weights = draw(folder, tiny::generate);
  auto net = compile(tiny::generate, load_weights(weights), {.capacity = {{"B", 2}, {"T", 8}}});
  const std::vector<float> whole = floats_in(net("tokens"_in = xt::adapt(ids, {2, 3}))["logits"_out]);

  tiny_writing_stream* stream = tiny_writing_stream_open(weights.c_str(), nullptr);
  REQUIRE(stream != nullptr);
  CHECK(tiny_writing_stream_stride() == 1);
  CHECK(tiny_writing_stream_latency() == 0);
  CHECK(tiny_writing_stream_output(stream, "logits") == nullptr);
  const auto step = [&](tiny_writing_stream* s, std::size_t at) {
    const std::vector<int> column{ids[at], ids[3 + at]};
    const fovea_tensor input = tensor("tokens", FOVEA_INT32, {2, 1}, column);
    REQUIRE(tiny_writing_stream_step(s, &input, 1) == FOVEA_OK);
    std::vector<float> expected;
    for (std::size_t row = 0; row < 2; ++row)
      expected.insert(expected.end(), whole.begin() + static_cast<std::ptrdiff_t>((row * 3 + at) * 8),
                      whole.begin() + static_cast<std::ptrdiff_t>((row * 3 + at + 1) * 8));
    const std::vector<float> found = floats_of(tiny_writing_stream_output(s, "logits"));
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).margin(1e-6));
    return found;
  };
  const std::vector<float> first = step(stream, 0);
  CHECK(tiny_writing_stream_position(stream, 1) == 1);
  CHECK(tiny_writing_stream_position(stream, 2) == -1);
  tiny_writing_stream* copy = tiny_writing_stream_copy(stream);
  step(stream, 1);
  step(stream, 2);
  CHECK(tiny_writing_stream_position(copy, 0) == 1);
  step(copy, 1);
  tiny_writing_stream_close(copy);

  REQUIRE(tiny_writing_stream_reset(stream, 1) == FOVEA_OK);
  CHECK(tiny_writing_stream_position(stream, 1) == 0);
  CHECK(tiny_writing_stream_position(stream, 0) == 3);
  CHECK(tiny_writing_stream_reset(stream, 2) == FOVEA_REFUSED);
  CHECK_THAT(tiny_writing_error(), Catch::Matchers::Contains("row"));
  REQUIRE(tiny_writing_stream_begin(stream, nullptr, 0) == FOVEA_OK);
  CHECK(step(stream, 0) == first);
  CHECK(tiny_writing_stream_finish(stream, 1) == FOVEA_REFUSED);
  CHECK(std::string(tiny_writing_error()) ==
        "finish: the model looks at no later position: nothing is to come after the steps");
  const fovea_tensor wrong = tensor("words", FOVEA_INT32, {2, 1}, ids);
  CHECK(tiny_writing_stream_step(stream, &wrong, 1) == FOVEA_REFUSED);
  CHECK(std::string(tiny_writing_error()) == "step: there is no input \"words\"; the inputs are \"tokens\"");
  CHECK(tiny_writing_stream_begin(stream, &wrong, 1) == FOVEA_REFUSED);
  CHECK(std::string(tiny_writing_error()) == "begin: there is no input \"words\"; it takes none");
  tiny_writing_stream_close(stream);

  // The same library runs whole sequences.
  tiny_writing_model* model = tiny_writing_open(weights.c_str(), nullptr);
  const fovea_tensor all = tensor("tokens", FOVEA_INT32, {2, 3}, ids);
  REQUIRE(tiny_writing_run(model, &all, 1) == FOVEA_OK);
  CHECK(floats_of(tiny_writing_output(model, "logits")) == whole);
  tiny_writing_close(model);
}

TEST_CASE("what a stream gives later comes by finish") {
  const temporary_folder folder;
  const std::string weights = draw(folder, tiny::stream);
  std::vector<double> x(2 * 6);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.25 * static_cast<double>(i) - 1;
  auto net = compile(tiny::stream, load_weights(weights), {.capacity = {{"B", 1}, {"T", 8}}});
  const std::vector<float> whole = floats_in(net("x"_in = xt::adapt(x, {1, 6, 2}))["y"_out]);

  tiny_filtering_stream* stream = tiny_filtering_stream_open(weights.c_str(), nullptr);
  REQUIRE(stream != nullptr);
  CHECK(tiny_filtering_stream_latency() == 2);
  const fovea_tensor input = tensor("x", FOVEA_FLOAT64, {1, 6, 2}, x);
  REQUIRE(tiny_filtering_stream_step(stream, &input, 1) == FOVEA_OK);
  std::vector<float> found = floats_of(tiny_filtering_stream_output(stream, "y"));
  REQUIRE(tiny_filtering_stream_finish(stream, 2) == FOVEA_OK);
  const std::vector<float> later = floats_of(tiny_filtering_stream_output(stream, "y"));
  found.insert(found.end(), later.begin(), later.end());
  found.erase(found.begin(), found.begin() + 2 * 3);
  REQUIRE(found.size() == whole.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(whole[i]).margin(1e-6));
  CHECK(tiny_filtering_stream_finish(stream, 1) == FOVEA_REFUSED);
  tiny_filtering_stream_close(stream);
}

TEST_CASE("a tokenizer reads texts as the C++ one does") {
  tiny_embedding_tokenizer* words = tiny_embedding_tokenizer_open(FOVEA_TINY_WORDS);
  REQUIRE(words != nullptr);
  const std::string text = "one two seven five";
  const token_encoding expected = load_tokenizer(FOVEA_TINY_WORDS).encode(text);
  std::size_t count = 0;
  const std::int32_t* encoded = tiny_embedding_tokenizer_encode(words, text.data(), text.size(), 0, &count);
  REQUIRE(encoded != nullptr);
  CHECK(std::vector(encoded, encoded + count) == expected.ids);
  CHECK(tiny_embedding_tokenizer_decode(words, expected.ids.data(), count) ==
        load_tokenizer(FOVEA_TINY_WORDS).decode(expected.ids));
  CHECK(tiny_embedding_tokenizer_encode(words, text.data(), text.size(), 3, &count) != nullptr);
  CHECK(count == 3);
  CHECK(tiny_embedding_tokenizer_encode(words, "", 0, 0, &count) != nullptr);
  CHECK(count == 2);
  CHECK(std::string(tiny_embedding_tokenizer_decode(words, nullptr, 0)).empty());

  CHECK(tiny_embedding_tokenizer_encode(words, nullptr, 3, 0, &count) == nullptr);
  CHECK(tiny_embedding_error() == std::string("encode: expected a text, found NULL"));
  const std::int32_t beyond = 1 << 20;
  CHECK(tiny_embedding_tokenizer_decode(words, &beyond, 1) == nullptr);
  CHECK_THAT(tiny_embedding_error(), Catch::Contains("1048576"));
  CHECK(tiny_embedding_tokenizer_encode(nullptr, "", 0, 0, &count) == nullptr);
  CHECK(tiny_embedding_error() == std::string("tokenizer: expected what an open has given, found NULL"));
  tiny_embedding_tokenizer_close(words);
  tiny_embedding_tokenizer_close(nullptr);

  CHECK(tiny_embedding_tokenizer_open(nullptr) == nullptr);
  CHECK(tiny_embedding_error() == std::string("tokenizer: expected a file, found NULL"));
  CHECK(tiny_embedding_tokenizer_open("nothing.json") == nullptr);
  CHECK(tiny_embedding_tokenizer_open_bytes("{", 1) == nullptr);
  CHECK_THAT(tiny_embedding_error(), Catch::Contains("tokenizer in memory"));
}
