#include <fovea/backends/simd/trace.hpp>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fovea/backends/simd/engine.hpp>
#include <fovea/backends/simd/step_text.hpp>
#include <fovea/backends/simd/step_times.hpp>

namespace fovea::core::simd {
namespace {

constexpr std::int64_t most_events = 1'000'000;

void say_unwritten(const char* path, int problem) {
  std::fprintf(stderr, "FOVEA_PROFILE: %s cannot be written: %s\n", path, std::strerror(problem));
}

/// A file of events: one list, each event a line, so that the lines of a program that is killed can be read.
class trace final : public times_reader {
public:
  /// Writes nothing where nobody has asked.
  trace() {
    path_ = std::getenv("FOVEA_PROFILE");
    if (path_ == nullptr || *path_ == '\0') return;
    file_ = std::fopen(path_, "w");
    if (file_ == nullptr) {
      say_unwritten(path_, errno);
      return;
    }
    begin_ = step_times::now();
    std::fputs("[{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"Fovea\"}}", file_);
    start();
  }
  ~trace() override {
    if (file_ == nullptr) return;
    stop();
    if (events_ > most_events)
      std::fprintf(stderr, "FOVEA_PROFILE: %s holds the first %" PRId64 " events of %" PRId64 "\n", path_,
                   most_events, events_);
    std::fputs("]\n", file_);
    const bool failed = std::ferror(file_) != 0;
    if (std::fclose(file_) != 0 || failed) say_unwritten(path_, errno);
  }
  trace(const trace&) = delete;
  trace& operator=(const trace&) = delete;

  void take(const net_view& net, dim_values sizes, std::span<const timed_step> steps, int thread) override {
    const sentence of_call = sizes_of_call(net, sizes);
    for (const timed_step& s : steps) {
      if (++events_ > most_events) continue;
      const std::int64_t begin = s.begin - begin_, length = s.end - s.begin;
      std::fprintf(file_,
                   ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64
                   ".%03d,\"name\":",
                   thread, begin / 1000, static_cast<int>(begin % 1000), length / 1000,
                   static_cast<int>(length % 1000));
      if (s.step >= 0) {
        write_quoted(text_of(net, s.step).text);
        std::fprintf(file_, ",\"cat\":\"%s\",\"args\":{\"step\":%d}}", kernel_of(net, s.step, sizes), s.step);
      } else {
        const bool whole = s.step == timed_step::whole_call;
        write_quoted(whole ? net.name : "one position");
        std::fprintf(file_, ",\"cat\":\"%s\",\"args\":{\"sizes\":", whole ? "call" : "position");
        write_quoted(of_call.text);
        std::fputs("}}", file_);
      }
    }
  }

  void take_span(const told_span& span, int thread) override {
    if (events_ += span.alone ? 1 : 2; events_ > most_events) return;
    const auto write = [&](const char* phase, std::int64_t at) {
      std::fprintf(file_,
                   ",\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%" PRId64
                   ".%03d,\"cat\":\"beside\",\"name\":",
                   phase, thread, at / 1000, static_cast<int>(at % 1000));
      write_quoted(span.name);
    };
    const std::int64_t begin = span.begin - begin_, end = span.end - begin_, length = end - begin;
    write(span.alone ? "X" : "b", begin);
    if (span.alone) {
      std::fprintf(file_, ",\"dur\":%" PRId64 ".%03d}", length / 1000, static_cast<int>(length % 1000));
      return;
    }
    std::fprintf(file_, ",\"id\":%" PRId64 "}", events_);
    write("e", end);
    std::fprintf(file_, ",\"id\":%" PRId64 "}", events_);
  }

private:
  /// A text as JSON has it.
  void write_quoted(const char* text) {
    std::fputc('"', file_);
    for (; *text != '\0'; ++text) {
      if (*text == '"' || *text == '\\') std::fputc('\\', file_);
      if (static_cast<unsigned char>(*text) >= ' ') std::fputc(*text, file_);
    }
    std::fputc('"', file_);
  }

  const char* path_;
  std::FILE* file_ = nullptr;
  std::int64_t begin_ = 0, events_ = 0;
};

} // namespace

// Nets that a program keeps to its end are made after it, and so end before.
void write_trace_if_asked() { static const trace one; }

} // namespace fovea::core::simd
