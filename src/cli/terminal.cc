// Writes errors and progress to a terminal.
#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/printable.h"
#include "cli/vocabulary.h"

namespace stepscope::cli {
namespace {

constexpr int64_t kShowAfterNs = 500'000'000;

int64_t NowNs() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Whether the locale's encoding is UTF-8, by the variables in the order of POSIX.
bool IsUtf8Locale() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!IsSet(variable)) continue;
    std::string locale = std::getenv(variable);
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return std::tolower(c); });
    return locale.contains("utf-8") || locale.contains("utf8");
  }
  return false;
}

// The locale of messages, by the variables in the order of POSIX.
std::string MessagesLocale() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (IsSet(variable)) return std::getenv(variable);
  }
  return {};
}

}  // namespace

Language LanguageOf(const std::string& given, bool for_people) {
  if (!given.empty()) return ParseLanguage(given).value_or(Language::kEnglish);
  const bool follows = for_people && IsUtf8Locale();
  return (follows ? ParseLanguage(MessagesLocale()) : std::nullopt).value_or(Language::kEnglish);
}

TextStyle StdoutStyle() {
  constexpr int kOfFiles = 100;  // columns, as those of a first screen
  TextStyle style{.width = kOfFiles};
  if (!isatty(STDOUT_FILENO)) return style;
  style.ascii = !IsUtf8Locale();
  style.color =
      !IsSet("NO_COLOR") && std::string_view(IsSet("TERM") ? std::getenv("TERM") : "") != "dumb";
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = std::clamp<int>(size.ws_col, 60, 200);
  }
  return style;
}

void ShowRaw(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void Tell(std::string_view text) { ShowRaw(fmt::format("stepscope: {}\n", Printable(text))); }

void PrintError(const Error& given) {
  const Error error = WithOptions(given);
  std::string text = "stepscope: " + Printable(error.what);
  if (!error.where.empty()) text += "\n  where: " + Printable(error.where);
  if (!error.hint.empty()) text += "\n  try:   " + Printable(error.hint);
  ShowRaw(text + "\n");
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0), started_ns_(NowNs()) {}

void ProgressLine::Show(const Progress& progress) {
  if (!terminal_ || NowNs() - started_ns_ < kShowAfterNs) return;
  const double share = progress.bytes_total == 0 ? 0
                                                 : static_cast<double>(progress.bytes_done) /
                                                       static_cast<double>(progress.bytes_total);
  if (progress.files_total > 0 && progress.files_done == progress.files_total) {
    ShowRaw(fmt::format("\r\033[K{} files read; analyzing", progress.files_total));
  } else {
    ShowRaw(fmt::format("\r\033[Kreading {} of {} files, {:.0f}%", progress.files_done,
                        progress.files_total, std::min(share, 1.0) * 100));
  }
  shown_ = true;
}

void ProgressLine::Clear() {
  if (!shown_) return;
  ShowRaw("\r\033[K");
  shown_ = false;
}

}  // namespace stepscope::cli
