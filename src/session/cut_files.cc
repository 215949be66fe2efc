// Counts events, those that were skipped, and complete steps.
#include "session/cut_files.h"

#include <algorithm>
#include <array>
#include <vector>

#include "analyses/build.h"
#include "base/saturate.h"
#include "report/humanize.h"
#include "report/lookup.h"
#include "trace/notes.h"

namespace stepscope {
namespace {

bool IsCut(const InputFile& file) {
  return file.rank >= 0 && file.problem.starts_with(NoteMessage(NoteKind::kTruncated));
}

size_t CompleteSteps(const RankActivity& rank) {
  return static_cast<size_t>(std::ranges::count_if(rank.steps, &Step::complete));
}

// " and 11 steps (20 on other ranks)". Empty where no rank has steps.
Phrase SaySteps(const InputFile& file, const Facts& facts) {
  size_t own = 0, others = 0;
  for (const RankActivity& rank : facts.ranks) {
    const bool is_own = rank.rank == file.rank && rank.window == file.window;
    size_t& most = is_own ? own : others;
    most = std::max(most, CompleteSteps(rank));
  }
  if (own == 0 && others == 0) return "";
  const Phrase there = Plural(own, "complete step");
  return others > own ? Say(" and {steps} ({count} on other ranks)", there, others)
                      : Say(" and {steps}", there);
}

// Notes about events that cannot be read. Places that are not JSON are no events of their files.
constexpr auto kUnreadable = std::to_array({NoteKind::kMalformed, NoteKind::kUnreadableEvent,
                                            NoteKind::kHugeDuration, NoteKind::kClockStep});

// "events were skipped: no valid time, name or size (305)": of each kind what its first note says.
Phrase SayUnreadable(const RunInfo& run) {
  Phrase all;
  for (const NoteKind kind : kUnreadable) {
    const auto note = std::ranges::find(run.notes, NoteName(kind), &Note::name);
    if (note == run.notes.end()) continue;
    if (!all.empty()) all += "; ";
    all += Say("{what} ({count})", note->message, HumanCount(CountOfNotes(run, note->name)));
  }
  return all;
}

}  // namespace

std::optional<Finding> UnreadableEvents(const RunInfo& run) {
  constexpr double kLeast = 0.01;
  int64_t skipped = 0, all = CountOfNotes(run, NoteName(NoteKind::kMalformed));
  for (const NoteKind kind : kUnreadable)
    skipped = AddSaturated(skipped, CountOfNotes(run, NoteName(kind)));
  for (const InputFile& file : run.files) all = AddSaturated(all, file.events);
  all = std::max(all, skipped);
  if (skipped == 0 || static_cast<double>(skipped) < kLeast * static_cast<double>(all))
    return std::nullopt;
  return Finding{
      .severity = Severity::kHigh,
      .message = Say("Input is damaged: {count} of {total} events cannot be read; what they took "
                     "is missing here.",
                     skipped, all),
      .because = SayUnreadable(run),
      .hint =
          "copy the files again from where they were written, or record again; until then "
          "trust names and durations of what is listed, not sums, shares, idle time or advice",
      .cause = {.kind = CauseKind::kRecording},
      .nearness = Nearness::kCause};
}

Phrase SayCutFiles(const RunInfo& run, const Facts& facts) {
  std::vector<const InputFile*> cut;
  for (const InputFile& file : run.files) {
    if (IsCut(file)) cut.push_back(&file);
  }
  if (cut.empty()) return "";
  const InputFile& file = **std::ranges::min_element(cut, {}, &InputFile::events);
  const bool lacks_device = file.gpu_events == 0 && !facts.OnHost();
  return Say(
      "Input is incomplete: {files} {end} early; of rank {rank} there are {events}{steps}{but}. "
      "Idle and unrecorded time may be what is missing. ",
      Plural(cut.size(), "file"), cut.size() == 1 ? "ends" : "end", file.rank,
      Plural(static_cast<size_t>(file.events), "event"), SaySteps(file, facts),
      lacks_device ? ", and no device activity" : "");
}

}  // namespace stepscope
