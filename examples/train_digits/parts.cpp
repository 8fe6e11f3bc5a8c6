#include "learn.hpp"

namespace train_digits {

parts read_parts(const arguments& a) {
  parts made{
      .all = read_digits(a.images, a.labels), .learned = 0, .validation = a.validation, .test = a.test};
  if (a.test_images.empty() != a.test_labels.empty())
    throw fovea::error("expected both or neither of --test-images and --test-labels");
  if (!a.test_images.empty()) {
    const digits test = read_digits(a.test_images, a.test_labels);
    made.test = test.count();
    made.all.pixels.insert(made.all.pixels.end(), test.pixels.begin(), test.pixels.end());
    made.all.labels.insert(made.all.labels.end(), test.labels.begin(), test.labels.end());
  }
  const std::size_t kept = made.validation + made.test;
  if (made.test == 0 || made.all.count() <= kept)
    throw fovea::error(fmt::format("{}: expected more than {} images, of which some test; found {}", a.images,
                                   kept, made.all.count()));
  made.learned = made.all.count() - kept;
  return made;
}

} // namespace train_digits
