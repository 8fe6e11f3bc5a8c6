#include "picture_index.hpp"

#include <fovea/base/error.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <numeric>
#include <set>

namespace search_images {
namespace {

using semantic_search::text_file;

/// A file that was changed this recently may change again without a new time of change.
constexpr std::int64_t clock_grain = 2'000'000'000;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Whether a file begins as a picture does. One that cannot be opened is left to who reads it.
bool may_be_picture(const std::filesystem::path& file) {
  std::ifstream from(file, std::ios::binary);
  std::string bytes(8, '\0');
  from.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return !from.is_open() ||
         picture::begins_image(std::string_view(bytes).substr(0, static_cast<std::size_t>(from.gcount())));
}

class updater {
public:
  updater(const picture_index& previous, const picture_model& model) : previous_(previous), model_(model) {
    picture_index& index = result_.index;
    if (previous.model == model.identity && previous.width == model.width) index = previous;
    index.model = model.identity, index.width = model.width;
    for (const auto& [path, picture] : index.pictures) vectors_.emplace(picture.content, picture.vector);
  }

  index_update run(std::span<const text_file> files) {
    std::set<std::string> here;
    std::vector<text_file> unknown;
    for (const text_file& file : files) {
      here.insert(file.path.native());
      const auto known = result_.index.pictures.find(file.path.native());
      const bool same = known != result_.index.pictures.end() &&
                        known->second.stamp == semantic_search::stamp_of(file.path);
      if (!same) unknown.push_back(file);
    }
    for (std::size_t done = 0; done < unknown.size();) {
      const std::size_t count = std::min(model_.readers, unknown.size() - done);
      read(std::span(unknown).subspan(done, count));
      done += count;
      if (pending_.size() >= model_.batch || done == unknown.size()) embed();
      if (pending_.empty()) model_.progress(done, unknown.size(), result_.index);
    }
    // What is gone helps until the end: its pictures may lie elsewhere now.
    std::erase_if(result_.index.pictures, [&](const auto& entry) { return !here.contains(entry.first); });
    result_.changed = result_.index != previous_;
    return std::move(result_);
  }

private:
  /// What is known of a file that is new or was changed.
  struct read_file {
    std::string path;
    file_stamp stamp{};
    content_hash content{};
    std::vector<float> prepared{}; // none of one whose vector is known, or that is no picture
    bool is_picture = false;
    std::string problem{};
  };

  /// Called by several threads at once.
  read_file content_of(const text_file& file) const {
    read_file made{.path = file.path.native()};
    try {
      made.is_picture = file.named || may_be_picture(file.path);
      if (!made.is_picture) return made;
      made.stamp = semantic_search::stamp_of(file.path);
      if (made.stamp.modified > started_ - clock_grain) made.stamp.modified = 0;
      const std::string bytes = picture::bytes_of(file.path);
      made.content = semantic_search::hash_of(bytes);
      if (!vectors_.contains(made.content))
        made.prepared = model_.prepare(picture::read_image(bytes, file.path.string()));
    } catch (const fovea::error& problem) {
      if (file.named) throw;
      made.problem = problem.what();
    }
    return made;
  }

  /// Takes files, each read by a thread of its own.
  void read(std::span<const text_file> files) {
    const auto policy = files.size() > 1 ? std::launch::async : std::launch::deferred;
    std::vector<std::future<read_file>> reading;
    for (const text_file& file : files)
      reading.push_back(std::async(policy, [this, &file] { return content_of(file); }));
    for (std::future<read_file>& one : reading) take(one.get());
  }

  void take(read_file file) {
    if (!file.is_picture || !file.problem.empty()) {
      result_.index.pictures.erase(file.path);
      result_.passed_over += file.problem.empty() ? 1 : 0;
      if (!file.problem.empty()) result_.skipped.push_back(std::move(file.problem));
    } else if (file.prepared.empty()) {
      result_.index.pictures[file.path] = {file.stamp, file.content, vectors_.at(file.content)};
    } else {
      prepared_.push_back(std::move(file.prepared));
      pending_.push_back(std::move(file));
    }
  }

  void embed() {
    if (pending_.empty()) return;
    const std::vector<float> vectors = model_.embed(prepared_);
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const auto row = std::span(vectors).subspan(i * model_.width, model_.width);
      const read_file& one = pending_[i];
      result_.index.pictures[one.path] = {one.stamp, one.content, {row.begin(), row.end()}};
      vectors_.emplace(one.content, std::vector(row.begin(), row.end()));
    }
    result_.embedded += pending_.size();
    pending_.clear(), prepared_.clear();
  }

  const picture_index& previous_;
  const picture_model& model_;
  const std::int64_t started_ = now();
  std::map<content_hash, std::vector<float>> vectors_; // by content, wherever it lies
  std::vector<read_file> pending_;
  std::vector<std::vector<float>> prepared_;
  index_update result_;
};

} // namespace

index_update updated(const picture_index& previous, std::span<const text_file> files,
                     const picture_model& model) {
  return updater(previous, model).run(files);
}

std::vector<hit> nearest(const picture_index& index, std::span<const float> vector, std::size_t top) {
  std::vector<hit> hits;
  for (const auto& [path, picture] : index.pictures)
    hits.push_back({path, std::inner_product(vector.begin(), vector.end(), picture.vector.begin(), 0.0f)});
  std::ranges::stable_sort(hits, std::greater<>(), &hit::score);
  hits.resize(std::min(top, hits.size()));
  return hits;
}

} // namespace search_images
