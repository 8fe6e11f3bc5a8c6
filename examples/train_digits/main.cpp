// Trains networks of several kinds to read handwritten digits.

#include "arguments.hpp"

#include <program/program.hpp>

#include <map>

namespace {

using namespace train_digits;

const std::map<std::string, void (*)(const arguments&)> models{
    {"gru", run_gru}, {"cnn", run_cnn}, {"vit", run_vit}};

void declare(CLI::App& app, arguments& a) {
  app.add_option("IMAGES", a.images, "MNIST's images, an idx file, compressed by gzip or not")->required();
  app.add_option("LABELS", a.labels, "Their labels")->required();
  app.add_option("--test-images", a.test_images, "Images to test by");
  app.add_option("--test-labels", a.test_labels, "Their labels");
  app.add_option("--test", a.test, "Without --test-images: how many of the last images test")
      ->capture_default_str();
  app.add_option("--validation", a.validation,
                 "How many of those before them are held out to choose the parameters by; 0: the last "
                 "parameters are kept, and the loss of the test is shown")
      ->capture_default_str();
  app.add_option("--model", a.model,
                 "gru (rows are read one after the other), cnn (a convolutional network) or vit (a Vision "
                 "Transformer)")
      ->capture_default_str()
      ->check(CLI::IsMember(models));
  training::declare(app, a.how);
  app.add_option("--shift", a.shift, "The most pixels that images are moved by while learning")
      ->capture_default_str()
      ->check(CLI::Range(0, 27));
  app.add_option("--decay", a.decay, "AdamW's weight decay")->capture_default_str();
}

void run(const arguments& a) {
  if (a.how.patience > 0 && a.validation == 0)
    throw fovea::error("--patience: expected --validation, images to look at other than the test's");
  models.at(a.model)(a);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("train_digits", "Trains a network to read handwritten digits.", count, words,
                                 declare, run);
}
