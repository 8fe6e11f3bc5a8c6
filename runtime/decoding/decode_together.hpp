#pragma once

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/next_token.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace fovea::core::detail {

/// A row of a text that is gone on with by one more token. Rows count from the text's first.
struct continuation {
  std::size_t row;
  token_id id;
};

/// A row of the batch: it reads its prompt for all texts that go on with it, then the id that its text chose.
struct decoded_row {
  std::size_t text, texts = 1;           // of several texts, the first
  std::span<const token_id> prompt = {}; // what of it is still unread
  token_id next = 0;

  std::size_t unread() const { return prompt.empty() ? 1 : prompt.size(); }
};

inline void check_prompts(std::span<const token_ids> prompts) {
  for (std::size_t i = 0; i < prompts.size(); ++i)
    if (prompts[i].empty())
      throw error("prompt " + std::to_string(i) +
                  " is empty; a text to go on with holds at least one id (that of its start)");
}

/// The texts that go on with so many prompts, `samples` of each: no more than the model has rows for, where
/// it says so, and than anything has memory for.
template <class M>
std::size_t text_count(const M& model, std::size_t prompts, std::size_t samples) {
  std::size_t most = 1 << 20;
  if constexpr (requires { model.most_rows(); }) most = model.most_rows();
  if (prompts > 0 && samples > most / prompts)
    throw error("decoding: expected at most " + std::to_string(most) + " texts together; found " +
                std::to_string(samples) + " of each of " + std::to_string(prompts) + " prompts");
  return prompts * samples;
}

/// Of all positions, or of the last alone.
inline void check_scores(const token_scores& scores, std::size_t rows, std::size_t positions) {
  const bool fits = scores.positions() == positions || scores.positions() == 1;
  if (scores.rows() == rows && fits && scores.vocabulary() > 0) return;
  throw error("scores of the next token: expected " + std::to_string(rows) + " rows of " +
              std::to_string(positions) + " positions and a vocabulary; found " +
              std::to_string(scores.rows()) + " rows of " + std::to_string(scores.positions()) + " and " +
              std::to_string(scores.vocabulary()) + " tokens");
}

/// Decodes texts in one batch: text i goes on with prompt i / (texts.size() / prompts.size()). Every row
/// reads as many ids a step as every other, so that prompts may differ in length: the texts of short ones are
/// written while long ones are still read. What ends leaves the batch at once.
///
/// texts[i].advance(scores, first) is asked when the text's rows, from row `first` on, have read everything;
/// it returns the rows that go on and with which ids, as std::vector<continuation>: none when the text has
/// ended.
template <next_token_model M, class T>
void decode_together(M& model, std::span<const token_ids> prompts, std::span<T> texts) {
  check_prompts(prompts);
  if (prompts.empty()) return;
  const std::size_t copies = texts.size() / prompts.size();
  std::vector<decoded_row> rows, kept;
  std::vector<std::size_t> from;
  for (std::size_t i = 0; i < prompts.size(); ++i) rows.push_back({i * copies, copies, prompts[i]});
  model.begin(prompts.size());

  token_ids ids;
  while (!rows.empty()) {
    const std::size_t positions =
        std::ranges::min(rows, {}, [](const decoded_row& row) { return row.unread(); }).unread();
    ids.clear();
    for (decoded_row& row : rows) {
      if (row.prompt.empty()) {
        ids.push_back(row.next);
      } else {
        ids.insert(ids.end(), row.prompt.begin(),
                   row.prompt.begin() + static_cast<std::ptrdiff_t>(positions));
        row.prompt = row.prompt.subspan(positions);
      }
    }
    const token_scores scores = model.step(ids);
    check_scores(scores, rows.size(), positions);

    kept.clear();
    from.clear();
    for (std::size_t first = 0, last; first < rows.size(); first = last) {
      const decoded_row& row = rows[first];
      for (last = first; last < rows.size() && rows[last].text == row.text;) ++last;
      if (!row.prompt.empty()) { // then it is its texts' only row
        kept.push_back(row);
        from.push_back(first);
        continue;
      }
      for (std::size_t text = row.text; text < row.text + row.texts; ++text)
        for (const continuation& c : texts[text].advance(scores, first)) {
          kept.push_back({.text = text, .next = c.id});
          from.push_back(first + c.row);
        }
    }
    bool same = from.size() == rows.size();
    for (std::size_t i = 0; same && i < from.size(); ++i) same = from[i] == i;
    if (!same && !from.empty()) model.reorder(from);
    rows.swap(kept);
  }
}

} // namespace fovea::core::detail
