// The names and sentences of what can be odd.
#include "goodput/events/oddities.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace stepscope::goodput {
namespace {

// In the order of Oddity.
constexpr auto kTexts = std::to_array<NoteText>({
    {"bad_line", "lines that are no JSON object: each was skipped"},
    {"long_line", "lines of more than 4 MB: each was skipped"},
    {"no_entry", "objects that are no entry of a job: each was skipped"},
    {"unknown_kind", "events of a kind this version does not know: not counted"},
    {"value_out_of_range", "times or step numbers out of any range: the entry was skipped"},
    {"truncated", "the compressed file ends in the middle: what came before was read"},
    {"corrupt", "the compressed file is damaged: what came before was read"},
    {"trailing_bytes", "bytes after the end of the compressed file: ignored"},
    {"read_error", "the system could not read on: what came before was read"},
    {"duplicate", "events that were there already: counted once"},
    {"missing_events", "events that a writer numbered and that are not there"},
    {"dropped_events", "events that a recorder had no room for and did not write"},
    {"other_job", "events of other jobs: left out"},
    {"after_query", "events later than the time asked for: left out"},
    {"no_job_start", "attempts without their start: they begin with their first event"},
    {"clock_back", "times before the time of what came earlier: moved up to it"},
    {"late_step", "steps that arrived after later ones: they change no sum"},
    {"second_writer", "the same step again within a second: one process too many records"},
    {"after_end", "steps after the job's end: the end was taken back"},
    {"end_before_start", "ends of the job from before its attempt: they ended the one before"},
    {"negative_duration", "spans that end before they begin: left out"},
    {"end_without_begin", "ends of spans without a begin: left out"},
    {"many_custom_types", "kinds of custom events beyond the first 30: called '(more types)'"},
    {"bad_segment", "recorders' files without a readable head: not read"},
    {"bad_record", "records that are torn or damaged: each was skipped"},
    {"cut_text", "texts longer than recorders keep: cut"},
    {"cut_identity", "events with names or numbers that no ledger keeps: cut, or left out"},
    {"older_than_rollup", "events from before the raw events that the ledger keeps: left out"},
    {"rolled_up",
     "events that are rolled up: windows of their time are exact to a minute, and so is what a "
     "restart takes back of it"},
    {"bad_database", "databases that cannot be read: what was rolled up in them is missing"},
});
static_assert(kTexts.size() == static_cast<size_t>(Oddity::kCount));

}  // namespace

std::span<const NoteText> NoteTexts(Oddity) { return kTexts; }

void SaveNotes(const Oddities& notes, StateWriter& out) {
  out.Unsigned(kTexts.size());
  for (size_t k = 0; k < kTexts.size(); ++k) {
    out.Text(kTexts[k].name);
    out.Signed(notes.Count(static_cast<Oddity>(k)));
  }
}

Oddities LoadNotes(StateReader& in) {
  Oddities notes;
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    const std::string_view name = in.Bytes();
    const int64_t count = in.Signed();
    const auto text = std::ranges::find(kTexts, name, &NoteText::name);
    if (text == kTexts.end()) continue;
    const auto kind = static_cast<Oddity>(text - kTexts.begin());
    if (notes.Count(kind) == 0) notes.Add(kind, count);
  }
  return notes;
}

}  // namespace stepscope::goodput
