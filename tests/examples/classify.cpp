#include "trained_folder.hpp"

#include <classify/classifier.hpp>
#include <classify/networks.hpp>

#include <numeric>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using namespace classify_program;

namespace {

template <class M>
void check_classifier(const M& model, const char* name) {
  INFO(name);
  const temporary_folder folder;
  write_trained(folder, model, sizes_of(name), 0.3f);
  folder.write("words.json", word_tokenizer({"good", "bad", "film"}, "BertPreTokenizer"));
  folder.write("labels.json", R"(["negative", "positive"])");
  classifier texts(folder.path());
  CHECK(texts.labels() == std::vector<std::string>{"negative", "positive"});
  const auto one = texts.probabilities("good film"), other = texts.probabilities("bad film"),
             again = texts.probabilities("good film");
  REQUIRE(one.size() == 2);
  CHECK(one[0] + one[1] == Approx(1));
  CHECK(one != other);
  CHECK(one == again);

  // Only the first words of a long text are read.
  std::string whole, longer;
  for (std::size_t i = 0; i < longest; ++i) whole += i % 3 == 0 ? "good " : "film ";
  longer = whole + "bad bad bad";
  CHECK(texts.probabilities(whole) == texts.probabilities(longer));
  CHECK(texts.probabilities("bad " + whole) != texts.probabilities(whole));
  CHECK_THROWS_WITH(texts.probabilities(" \t"), "there are no words to classify");

  const std::string in = folder.path().string() + "/";
  const auto problem = [&](const char* labels) {
    folder.write("labels.json", labels);
    return message_of<error>([&] { classifier(folder.path()); });
  };
  CHECK(problem("{\"a\": 1}") == in + "labels.json: expected a list of labels");
  CHECK(problem("[]") == in + "labels.json: expected 1 to 8 labels, found 0");
  CHECK(problem(R"(["1","2","3","4","5","6","7","8","9"])") ==
        in + "labels.json: expected 1 to 8 labels, found 9");
}

} // namespace

TEST_CASE("a classifier gives each label its probability", "[classify]") {
  check_classifier(models::kim_cnn<kim_sizes>, "kim");
  check_classifier(models::rnn_classifier<rnn_sizes>, "rnn");
  check_classifier(models::bert_classifier<bert_sizes, classes>, "bert");
}
