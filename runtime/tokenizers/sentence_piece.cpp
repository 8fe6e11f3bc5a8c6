#include <fovea/runtime/tokenizers/sentence_piece.hpp>

#include <fovea/runtime/error.hpp>
#include <fovea/runtime/tokenizers/state.hpp>

#if FOVEA_SENTENCEPIECE

#include <sentencepiece_processor.h>

namespace fovea {
namespace {

/// What a text loses at its front, found out from the library, since it does not say.
meta_space_decoder::leading front_of(const sentencepiece::SentencePieceProcessor& library) {
  using leading = meta_space_decoder::leading;
  const std::string mark = meta_space_decoder().mark;
  const auto text_of = [&](const std::vector<int>& ids) {
    std::string text;
    const auto status = library.Decode(ids, &text);
    if (!status.ok()) throw error(status.ToString());
    return text;
  };
  for (int id = 0; id < library.GetPieceSize(); ++id) {
    if (!library.IdToPiece(id).starts_with(mark) || library.IsUnused(id)) continue;
    if (text_of({id}).starts_with(' ')) return leading::kept;
    const int space = library.PieceToId(mark);
    return !library.IsUnknown(space) && text_of({space, space}).empty() ? leading::one_each : leading::one;
  }
  return leading::kept;
}

} // namespace

void sentence_piece::append(std::string_view text, std::vector<token_id>& ids) const {
  std::vector<int> found;
  const auto status = library_->Encode(text, &found);
  if (!status.ok()) throw error("text: " + status.ToString());
  ids.insert(ids.end(), found.begin(), found.end());
}

tokenizer parse_sentence_piece(std::string_view bytes, const std::string& source) {
  const auto library = std::make_shared<sentencepiece::SentencePieceProcessor>();
  if (!library->LoadFromSerializedProto(bytes).ok() || library->GetPieceSize() == 0)
    throw error(source + ": expected a SentencePiece model; found something else, or a damaged one");
  try {
    auto made = std::make_shared<tokenizer::state>();
    for (int id = 0; id < library->GetPieceSize(); ++id) {
      made->tokens.add(library->IdToPiece(id), id);
      if (library->IsControl(id)) made->special.insert(id);
    }
    meta_space_decoder how{.front = front_of(*library)};
    const int unknown = library->unk_id();
    how.unknown = library->IdToPiece(unknown);
    library->Decode(std::vector<int>{unknown}, &how.unknown_text).IgnoreError();
    how.byte_fallback = library->IsByte(library->PieceToId(fallback_token(0)));
    made->decode = how;
    made->model.emplace<sentence_piece>(library);
    return tokenizer(std::move(made));
  } catch (const error& reason) {
    throw error(source + ": " + reason.what());
  }
}

} // namespace fovea

#else

namespace fovea {

void sentence_piece::append(std::string_view, std::vector<token_id>&) const {}

tokenizer parse_sentence_piece(std::string_view, const std::string& source) {
  throw error(source + ": a SentencePiece model needs a build of fovea with the library sentencepiece "
                       "(Debian's libsentencepiece-dev); this one was made without it");
}

} // namespace fovea

#endif
