// classify_image and search_images, by a small CLIP.

#include "../model_case.hpp"
#include "../tiny_clip.hpp"
#include "program_run.hpp"

#include <classify_image/classifier.hpp>
#include <classify_image/drawing.hpp>
#include <clip/compiled_encoder.hpp>
#include <search_images/contact_sheet.hpp>
#include <search_images/picture_index.hpp>

#include <fovea/weights/safetensors.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <numeric>

using namespace fovea::core::test;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

using tiny_encoder = clip_program::compiled_encoder<tiny_clip>;

/// Words of which each is a token: w0 to w94, and 95 at the end of a text.
std::string tokenizer_json() {
  json vocabulary;
  for (int id = 0; id < 95; ++id) vocabulary["w" + std::to_string(id)] = id;
  vocabulary["<end>"] = 95;
  const json end{{"SpecialToken", {{"id", "<end>"}, {"type_id", 0}}}},
      text{{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  return json{{"added_tokens", {{{"id", 95}, {"content", "<end>"}, {"special", true}}}},
              {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
              {"post_processor",
               {{"type", "TemplateProcessing"},
                {"single", {text, end}},
                {"pair", {text, end}},
                {"special_tokens", {{"<end>", {{"id", "<end>"}, {"ids", {95}}, {"tokens", {"<end>"}}}}}}}},
              {"model", {{"type", "WordLevel"}, {"unk_token", "w0"}, {"vocab", vocabulary}}}}
      .dump();
}

/// The reference case as a checkpoint's folder.
struct checkpoint {
  golden_case reference{"clip", fs::path(golden_folder) / "today"};
  temporary_folder folder;

  checkpoint() {
    const auto parameters = parameters_of(reference);
    std::map<std::string, fovea::stored_tensor> tensors;
    for (const auto& [name, tensor] : parameters)
      tensors[name] = {fovea::element_type::f32, tensor.shape, std::as_bytes(std::span(tensor.values))};
    fovea::save_safetensors(folder / "model.safetensors", tensors);
    folder.write("config.json", reference.metadata().at("hf_config").dump());
    folder.write("tokenizer.json", tokenizer_json());
    folder.write("preprocessor_config.json", R"({"size":16,"crop_size":16})");
  }
  /// What opening it throws once a file has other content, the folder left out.
  std::string refusal(const std::string& file, const std::string& content) const {
    const std::string before = ::content(folder / file);
    folder.write(file, content);
    const std::string said = message_of<fovea::error>([&] { tiny_encoder(folder.path(), 1); });
    folder.write(file, before);
    return said.substr(std::min(said.size(), folder.path().string().size() + 1));
  }
};

/// A picture of one colour, `shade` of its red and the rest of its blue.
picture::image shaded(int shade) {
  picture::image made{.width = 20, .height = 24};
  for (std::size_t i = 0; i < 20 * 24; ++i)
    made.rgb.insert(made.rgb.end(), {static_cast<std::uint8_t>(shade), static_cast<std::uint8_t>(i % 20 * 5),
                                     static_cast<std::uint8_t>(255 - shade)});
  return made;
}
std::string as_ppm(const picture::image& from) {
  return "P6 " + std::to_string(from.width) + " " + std::to_string(from.height) + " 255 " +
         std::string(from.rgb.begin(), from.rgb.end());
}

double product(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Three pictures, a text and a broken picture in a folder, and their index.
struct searched_folder {
  checkpoint model;
  tiny_encoder encoder{model.folder.path(), 1};
  temporary_folder folder;
  std::size_t embedded = 0, readers = 1;
  std::atomic<std::size_t> prepared = 0;
  std::vector<search_images::picture_index> on_the_way{};

  searched_folder() {
    folder.write("a.ppm", as_ppm(shaded(10)));
    folder.write("b.ppm", as_ppm(shaded(120)));
    fs::create_directory(folder / "more");
    folder.write("more/c.ppm", as_ppm(shaded(240)));
    folder.write("notes.txt", "words");
    folder.write("broken.ppm", "P6 9 9 255 abc");
    for (const fs::directory_entry& file :
         fs::recursive_directory_iterator(folder.path())) // older than the grain of clocks
      fs::last_write_time(file.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  search_images::index_update update(const search_images::picture_index& previous,
                                     std::uint64_t identity = 1) {
    const std::vector<fs::path> paths{folder.path()};
    return search_images::updated(
        previous, semantic_search::find_texts(paths),
        {.identity = {identity, 0},
         .width = encoder.width(),
         .batch = 2,
         .readers = readers,
         .prepare = [&](const picture::image& shown) { return ++prepared, encoder.prepared(shown); },
         .embed =
             [&](std::span<const clip_program::pixels> pictures) {
               embedded += pictures.size();
               return encoder.of_pictures(pictures);
             },
         .progress = [&](std::size_t, std::size_t,
                         const search_images::picture_index& so_far) { on_the_way.push_back(so_far); }});
  }
  std::string name(const std::string& path) const { return path.substr(folder.path().string().size() + 1); }
};

} // namespace

TEST_CASE("a CLIP's folder gives the vectors of its authors", "[clip]") {
  const checkpoint c;
  tiny_encoder encoder(c.folder.path(), 1);
  std::vector<std::string> texts;
  const golden_tensor& ids = c.reference.at("input.ids");
  for (std::size_t i = 0; i < 3; ++i) {
    std::string text;
    for (std::size_t k = 0; k < 9 && ids.values[9 * i + k] != 95; ++k)
      text += "w" + std::to_string(static_cast<int>(ids.values[9 * i + k])) + " ";
    texts.push_back(text);
  }
  const std::array<std::size_t, 2> texts_shape{3, 24}, pictures_shape{2, 24};
  const std::vector<float> of_texts = encoder.of_texts(texts);
  check(c.reference, "output.text_embeds", std::span<const float>(of_texts), texts_shape);

  const golden_tensor& values = c.reference.at("input.pixels"); // [2, 3, 16, 16]
  std::vector<clip_program::pixels> pictures(2, clip_program::pixels(16 * 16 * 3));
  for (std::size_t i = 0; i < values.values.size(); ++i)
    pictures[i / 768][i % 256 * 3 + i / 256 % 3] = static_cast<float>(values.values[i]);
  const std::vector<float> of_pictures = encoder.of_pictures(pictures);
  check(c.reference, "output.image_embeds", std::span<const float>(of_pictures), pictures_shape);
  CHECK(encoder.scale() * product(std::span(of_texts).first(24), std::span(of_pictures).first(24)) ==
        Approx(c.reference.at("output.logits_per_text").values[0]).epsilon(1e-4));
}

TEST_CASE("a picture's labels have the probabilities of their cosines", "[clip]") {
  const checkpoint c;
  tiny_encoder encoder(c.folder.path(), 1);
  const std::vector<std::string> labels{"w1", "w2 w3", "w4", "w5"}, prompts{"w10 {}", "w11 {} w12"};
  const classify_image::classifier judge(encoder, labels, prompts);
  const picture::image shown = shaded(200);
  const auto judged = judge.judged(shown);
  REQUIRE(judged.size() == 4);

  const clip_program::pixels pixels = encoder.prepared(shown);
  const std::vector<float> vector = encoder.of_pictures({&pixels, 1});
  std::map<std::string, double> weights;
  double sum = 0, all = 0;
  for (const std::string& label : labels) {
    const std::vector<float> two =
        encoder.of_texts(std::vector<std::string>{"w10 " + label, "w11 " + label + " w12"});
    std::vector<float> mean(24);
    for (std::size_t i = 0; i < 24; ++i) mean[i] = two[i] + two[24 + i];
    sum += weights[label] =
        std::exp(encoder.scale() * product(vector, mean) / std::sqrt(product(mean, mean)));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(judged[i].probability == Approx(weights.at(judged[i].label) / sum).epsilon(1e-4));
    CHECK((i == 0 || judged[i].probability <= judged[i - 1].probability));
    all += judged[i].probability;
  }
  CHECK(all == Approx(1));

  const temporary_folder out;
  classify_image::draw({{"one.png", shown, judged}, {"two.png", shaded(3), judged}}, out / "labels.svg");
  CHECK_THAT(content(out / "labels.svg"), Catch::Contains("<image"));
}

TEST_CASE("labels and prompts that say nothing are refused", "[clip]") {
  const checkpoint c;
  tiny_encoder encoder(c.folder.path(), 1);
  const auto refusal = [&](const std::vector<std::string>& labels, const std::string& prompt = "w1 {}") {
    return message_of<fovea::error>(
        [&] { classify_image::classifier(encoder, labels, std::span(&prompt, 1)); });
  };
  CHECK(refusal({"w1"}) == "expected two labels or more, found 1");
  CHECK(refusal({"w1", "w2", "w1"}) == "label 'w1': expected each label once");
  CHECK(refusal({"w1", "w2"}, "a photo") == "prompt 'a photo': expected {} where the label goes");
  std::string longest = "w1";
  for (int i = 0; i < 15; ++i) longest += " w2";
  CHECK(refusal({longest, "w2"}, "{}") == "text '" + longest + "': expected 1 to 15 tokens, found 16");
  CHECK(refusal({"w1", " "}, "{}") == "text ' ': expected 1 to 15 tokens, found 0");
  CHECK(classify_image::between_commas(" a cat, dog ,, x") == std::vector<std::string>{"a cat", "dog", "x"});
  CHECK(classify_image::between_commas(" ,").empty());
}

TEST_CASE("a folder that the program is not compiled for is refused in one sentence", "[clip]") {
  const checkpoint c;
  json config = c.reference.metadata().at("hf_config");
  config["vision_config"]["patch_size"] = 8;
  CHECK(c.refusal("config.json", config.dump()) == "config.json: expected vision_config.patch_size to be 4, "
                                                   "found 8; the program is compiled for a CLIP of one "
                                                   "shape (CMake's FOVEA_CLIP)");
  CHECK_THAT(c.refusal("config.json", R"({"model_type":"siglip"})"),
             Catch::StartsWith("config.json: expected model_type to be \"clip\", found \"siglip\";"));
  CHECK_THAT(
      c.refusal("config.json", R"({"model_type":"clip","projection_dim":24})"), // transformers' own sizes
      Catch::StartsWith("config.json: expected text_config.hidden_size to be 32, found 512;"));
  config["text_config"] = 3;
  CHECK_THAT(c.refusal("config.json", config.dump()),
             Catch::StartsWith("config.json: expected text_config to be an object, found 3;"));
  CHECK_THAT(c.refusal("config.json", "[]"), Catch::StartsWith("config.json: expected an object, found [];"));
  CHECK_THAT(c.refusal("preprocessor_config.json", "{}"),
             Catch::Contains("expected crop_size to be the network's 16, found 224"));
  json words = json::parse(tokenizer_json());
  words["model"]["vocab"]["w96"] = 96;
  CHECK(c.refusal("tokenizer.json", words.dump()) ==
        "tokenizer.json: expected at most 96 tokens, as the network has, found 97");
  words = json::parse(tokenizer_json());
  words["post_processor"] = nullptr;
  CHECK(c.refusal("tokenizer.json", words.dump()) ==
        "tokenizer.json: expected texts that end in token 95, found no token at their end");
  fs::remove(c.folder / "tokenizer.json");
  CHECK(message_of<fovea::error>([&] { tiny_encoder(c.folder.path(), 1); }) ==
        (c.folder / "tokenizer.json").string() +
            ": no such file; a checkpoint's folder has it beside its weights");
}

TEST_CASE("pictures are indexed once, and found again", "[clip]") {
  searched_folder s;
  const auto first = s.update({});
  CHECK(first.changed);
  CHECK((first.embedded == 3 && s.embedded == 3));
  CHECK(first.passed_over == 1);
  REQUIRE(first.skipped.size() == 1);
  CHECK(first.skipped[0] ==
        (s.folder / "broken.ppm").string() + ": expected 243 bytes behind the header, found 3");
  CHECK(first.index.pictures.size() == 3);

  // A search that is interrupted leaves what was done.
  CHECK(s.on_the_way.front().pictures.size() == 2);
  const auto resumed = s.update(s.on_the_way.front());
  CHECK(resumed.embedded == 1);
  CHECK(resumed.index == first.index);

  const fs::path file = s.folder / ".index";
  CHECK(!search_images::load_index(file));
  search_images::save_index(file, first.index);
  const auto kept = search_images::load_index(file);
  REQUIRE(kept);
  CHECK(*kept == first.index);

  const auto again = s.update(*kept);
  CHECK((!again.changed && again.embedded == 0));
  s.prepared = 0;
  fs::rename(s.folder / "a.ppm", s.folder / "more/moved.ppm"); // its bytes are known
  fs::remove(s.folder / "b.ppm");
  s.folder.write("d.ppm", as_ppm(shaded(60)));
  const auto later = s.update(*kept);
  CHECK((later.changed && later.embedded == 1 && s.prepared == 1));
  std::vector<std::string> names;
  for (const auto& [path, picture] : later.index.pictures) names.push_back(s.name(path));
  CHECK(names == std::vector<std::string>{"d.ppm", "more/c.ppm", "more/moved.ppm"});
  CHECK(later.index.pictures.at((s.folder / "more/moved.ppm").string()).vector ==
        first.index.pictures.at((s.folder / "a.ppm").string()).vector);
  // Two pictures that change places keep their vectors.
  s.folder.write("d.ppm", as_ppm(shaded(240)));
  s.folder.write("more/c.ppm", as_ppm(shaded(60)));
  const auto swapped = s.update(later.index);
  CHECK(swapped.embedded == 0);
  const auto vector_of = [&](const search_images::picture_index& in, const char* name) {
    return in.pictures.at((s.folder / name).string()).vector;
  };
  CHECK(vector_of(swapped.index, "d.ppm") == vector_of(later.index, "more/c.ppm"));
  CHECK(vector_of(swapped.index, "more/c.ppm") == vector_of(later.index, "d.ppm"));

  s.readers = 4;                          // several at once, and to the same end
  const auto others = s.update(*kept, 2); // of other weights
  CHECK(others.embedded == 3);
  CHECK(others.index.pictures == swapped.index.pictures);
}

TEST_CASE("pictures are ranked by their cosine with the query", "[clip]") {
  searched_folder s;
  const search_images::picture_index index = s.update({}).index;
  const clip_program::pixels pixels = s.encoder.prepared(shaded(240));
  const auto alike = search_images::nearest(index, s.encoder.of_pictures({&pixels, 1}), 2);
  REQUIRE(alike.size() == 2);
  CHECK(s.name(alike[0].path) == "more/c.ppm");
  CHECK(alike[0].score == Approx(1));
  CHECK(alike[1].score < alike[0].score);

  const std::string query = "w7 w8";
  const std::vector<float> wanted = s.encoder.of_texts({&query, 1});
  const auto hits = search_images::nearest(index, wanted, 10);
  REQUIRE(hits.size() == 3);
  for (const auto& hit : hits)
    CHECK(hit.score == Approx(product(wanted, index.pictures.at(hit.path).vector)).margin(1e-6));
  CHECK((hits[0].score >= hits[1].score && hits[1].score >= hits[2].score));

  const temporary_folder out;
  search_images::draw(hits, query, out / "sheet.png");
  CHECK(picture::read_image(out / "sheet.png").width > 1000);
}

TEST_CASE("a damaged index is refused", "[clip]") {
  searched_folder s;
  const fs::path file = s.folder / ".index";
  search_images::save_index(file, s.update({}).index);
  const std::string whole = content(file);
  std::string damaged = whole;
  damaged[damaged.size() - 3] = static_cast<char>(damaged[damaged.size() - 3] ^ 1);
  s.folder.write(".index", damaged);
  CHECK_THAT(message_of<fovea::error>([&] { search_images::load_index(file); }),
             Catch::Contains("expected the checksum"));
  s.folder.write(".index", whole.substr(0, whole.size() / 2));
  CHECK_THROWS_AS(search_images::load_index(file), fovea::error);
}

TEST_CASE("classify_image says and draws which labels fit", "[clip]") {
  const checkpoint c;
  const std::string model = c.folder.path().string(),
                    first = c.folder.write("a.ppm", as_ppm(shaded(9))).string(),
                    second = c.folder.write("b.ppm", as_ppm(shaded(200))).string(),
                    drawing = (c.folder / "labels.png").string();
  const program_run said =
      run_program(c.folder, {FOVEA_TINY_CLASSIFY_IMAGE, model, first, second, "--labels", "w1,w2", "--labels",
                             "w3", "--prompt", "w4 {}", "--picture", drawing, "--top", "2"});
  INFO(said.said);
  CHECK(said.status == 0);
  CHECK_THAT(said.said, Catch::StartsWith(first + "\n") && Catch::Contains("\n" + second + "\n") &&
                            Catch::Contains(" %  w"));
  CHECK(std::count(said.said.begin(), said.said.end(), '\n') == 6);
  CHECK(picture::read_image(fs::path(drawing)).height > 600);

  const std::string broken = c.folder.write("broken.ppm", "P6 9 9 255 abc").string();
  const program_run some = run_program(c.folder, {FOVEA_TINY_CLASSIFY_IMAGE, model, broken, first,
                                                  (c.folder / "none.ppm").string(), second, "--labels",
                                                  "w1,w2", "--prompt", "{}"});
  CHECK(some.status == 2);
  CHECK_THAT(some.said, Catch::Contains("classify_image: left out " + broken +
                                        ": expected 243 bytes behind the header, found 3\n") &&
                            Catch::Contains("left out " + (c.folder / "none.ppm").string() + ": ") &&
                            Catch::Contains(first + "\n") && Catch::Contains(second + "\n") &&
                            Catch::Contains("classify_image: 2 of 4 pictures could not be read\n"));

  const std::string labels = c.folder.write("labels.txt", "w1\nw2, w5\n\nw3\n").string();
  const program_run as_json = run_program(c.folder, {FOVEA_TINY_CLASSIFY_IMAGE, model, first, "--labels-file",
                                                     labels, "--prompt", "{}", "--json"});
  REQUIRE(as_json.status == 0);
  const json answer = json::parse(as_json.said);
  CHECK(answer.at("picture") == first);
  double sum = 0;
  for (const json& label : answer.at("labels")) sum += label.at("probability").get<double>();
  CHECK(answer.at("labels").size() == 3);
  CHECK(sum == Approx(1));
}

TEST_CASE("search_images finds pictures, and computes each once", "[clip]") {
  const checkpoint c;
  const temporary_folder pictures, cache;
  const program_variable home("XDG_CACHE_HOME", cache.path().string());
  for (const int shade : {10, 120, 240})
    pictures.write(std::to_string(shade) + ".ppm", as_ppm(shaded(shade)));
  pictures.write("broken.png", "\x89PNG\r\n\x1a\n");
  pictures.write("notes.txt", "words");
  const auto search = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {FOVEA_TINY_SEARCH_IMAGES, c.folder.path().string(), pictures.path().string()});
    return run_program(c.folder, words);
  };
  const std::string sheet = (c.folder / "found.svg").string();
  const program_run first = search({"w1 w2", "--picture", sheet});
  INFO(first.said);
  CHECK(first.status == 2);
  CHECK_THAT(first.said,
             Catch::Contains("search_images: indexed 3 pictures in ") &&
                 Catch::Contains("search_images: 1 of the folder's pictures could not be read\n") &&
                 Catch::Contains("broken.png: the PNG is damaged: the file ends before its picture does\n") &&
                 Catch::Contains("passed over what is neither PNG, JPEG, PPM nor PGM: 1\n") &&
                 Catch::Contains("120.ppm\n"));
  CHECK_THAT(content(sheet), Catch::Contains("<image"));

  fs::remove(pictures / "broken.png");
  const program_run alike = search({"--like", (pictures / "240.ppm").string(), "--top", "1", "--json"});
  CHECK_THAT(alike.said, !Catch::Contains("indexed"));
  const json found = json::parse(alike.said.substr(alike.said.find('{')));
  REQUIRE(found.at("pictures").size() == 1);
  CHECK(found["pictures"][0].at("path") == (pictures / "240.ppm").string());
  CHECK(found["pictures"][0].at("score").get<double>() == Approx(1));

  const std::string other = c.folder.write("other", "no index").string();
  const program_run refused = search({"w3", "--index", other});
  CHECK(refused.status != 0);
  CHECK_THAT(
      refused.said,
      Catch::Contains(other + ": expected an index, or no file; found a file that is none, and left it"));
  CHECK(content(other) == "no index");

  const std::string index = (c.folder / "index").string();
  CHECK(search({"w3", "--index", index}).status == 0);
  CHECK_THAT(search({"w3", "--index", index}).said, !Catch::Contains("anew") && !Catch::Contains("indexed"));
  std::filesystem::resize_file(index, std::filesystem::file_size(index) - 3);
  CHECK_THAT(search({"w3", "--index", index}).said,
             Catch::Contains("; the index is made anew\n") && Catch::Contains("indexed 3 pictures"));
  const program_run unkept = search({"w3", "--index", (c.folder / "index" / "below").string()});
  CHECK(unkept.status == 0);
  CHECK_THAT(unkept.said, Catch::Contains("the index is not kept: "));
}

TEST_CASE("bad input to classify_image and search_images is one line", "[clip]") {
  const checkpoint c;
  const std::string model = c.folder.path().string(),
                    picture = c.folder.write("a.ppm", as_ppm(shaded(9))).string();
  const auto refusal = [&](std::vector<std::string> words) {
    const program_run one = run_program(c.folder, words);
    CHECK(one.status == 2);
    CHECK(one.is_one_line());
    return one.said;
  };
  CHECK(refusal({FOVEA_CLASSIFY_IMAGE, model, picture}) ==
        "classify_image: expected either --labels or --labels-file (--help lists the options)\n");
  CHECK_THAT(refusal({FOVEA_CLASSIFY_IMAGE, model, picture, "--labels", "a,b", "--picture", "x.gif"}),
             Catch::Contains("x.gif: expected a name that ends in .svg or .png"));
  CHECK_THAT(refusal({FOVEA_CLASSIFY_IMAGE, model, picture, "--labels", "a,b"}), // of the tiny shape
             Catch::Contains(
                 "config.json: expected projection_dim to be 512, found 24; the program is compiled for"));
  CHECK_THAT(refusal({FOVEA_SEARCH_IMAGES, model, model}),
             Catch::Contains("expected either a query or --like a picture"));
  CHECK_THAT(refusal({FOVEA_SEARCH_IMAGES, model, model, "words", "--like", picture}),
             Catch::Contains("expected either a query or --like a picture"));
  CHECK_THAT(refusal({FOVEA_SEARCH_IMAGES, model + "/none", model, "words"}),
             Catch::Contains("none/config.json: no such file"));
}
