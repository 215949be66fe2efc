// Writes the verdict: the sentences a reader sees first.
#include "session/verdict.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "report/humanize.h"
#include "trace/notes.h"

namespace stepscope {

std::string Verdict(std::span<const Report> reports) {
  const Report* first = nullptr;
  const Finding* best = nullptr;
  for (const Report& report : reports) {
    if (report.status == Status::kUnavailable) continue;
    if (first == nullptr) first = &report;
    for (const Finding& finding : report.findings) {
      // On a tie the later one: later analyses are more specific.
      if (best == nullptr || finding.impact >= best->impact) best = &finding;
    }
  }
  if (first == nullptr) {
    return reports.empty() ? "No analysis was requested."
                           : "No analysis could run: " + reports.front().why + ".";
  }
  // The headline may say it already.
  if (best == nullptr || first->headline.contains(best->message)) return first->headline;
  return first->headline + " " + best->message;
}

std::string SayWhatIsMissing(const RunInfo& run) {
  struct Loss {
    NoteKind kind;
    std::string_view noun, one, many;
  };
  constexpr auto kLosses = std::to_array<Loss>({
      {NoteKind::kUnreadable, "file", "cannot be read", "cannot be read"},
      {NoteKind::kTruncated, "file", "ends early", "end early"},
      {NoteKind::kCorrupt, "file", "is damaged", "are damaged"},
      {NoteKind::kMissingRanks, "rank", "has no trace", "have no trace"},
  });
  std::string text;
  for (const Loss& loss : kLosses) {
    if (loss.kind == NoteKind::kMissingRanks && run.ranks < 2) continue;
    int64_t count = 0;
    for (const Note& note : run.notes) {
      if (note.name == NoteName(loss.kind)) count += note.count;
    }
    if (count == 0) continue;
    text += text.empty() ? " Input is incomplete: " : ", ";
    text += fmt::format("{} {}", Plural(static_cast<size_t>(count), loss.noun),
                        count == 1 ? loss.one : loss.many);
  }
  return text.empty() ? text : text + ".";
}

}  // namespace stepscope
