#pragma once

#include <string>
#include <vector>

namespace transcribe_program {

/// A character, and the seconds at which it is heard.
struct heard {
  std::string character;
  double at;
};

/// Characters that belong together: until a pause longer than that, or a text as long as that.
struct subtitle_options {
  double pause = 1;
  std::size_t most = 60;
};
struct subtitle {
  double begin, end;
  std::string text;
};
std::vector<subtitle> subtitles_of(const std::vector<heard>& all, const subtitle_options& options,
                                   double end);

/// As a SubRip file has them: a number, two times, and the text.
std::string srt_of(const std::vector<subtitle>& all);

} // namespace transcribe_program
