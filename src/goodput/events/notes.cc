// Lists the names and messages of notes.
#include "goodput/events/notes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace stepscope::goodput {
namespace {

// In the order of NoteKind.
constexpr auto kNotes = std::to_array<NoteText>({
    {"bad_line", "lines were skipped: not JSON objects"},
    {"long_line", "lines were skipped: longer than 4 MB"},
    {"no_entry", "objects were skipped: not entries of a job"},
    {"unknown_kind", "events were skipped: unknown kind"},
    {"value_out_of_range", "entries were skipped: a time or step number is out of range"},
    {"text_time", "entries were skipped: a time is text, not seconds since 1970"},
    {"truncated", "compressed files were used in part: they end early"},
    {"corrupt", "compressed files were used in part: they are damaged"},
    {"trailing_bytes", "bytes were ignored: after the end of the compressed file"},
    {"read_error", "files were used in part: they could not be read to the end"},
    {"duplicate", "events were counted once: duplicates"},
    {"missing_events", "events are missing: gaps in a writer's sequence numbers"},
    {"dropped_events", "events were dropped by a recorder: no room"},
    {"other_job", "events were skipped: other jobs"},
    {"after_query", "events were skipped: after the query time"},
    {"no_job_start", "attempts have no start event: they begin with their first event"},
    {"clock_back", "times were moved forward: before an earlier event of the log"},
    {"late_step", "steps were left out: recorded out of order"},
    {"second_writer", "steps were repeated within a second: more than one process records"},
    {"after_end", "job ends were ignored: steps follow"},
    {"end_before_start",
     "job ends were assigned to the previous attempt: earlier than the current one"},
    {"negative_duration", "spans were skipped: end before begin"},
    {"end_without_begin", "span ends were skipped: no begin"},
    {"many_custom_types", "custom types were joined as '(more types)': beyond the first 30"},
    {"bad_segment", "segments were skipped: unreadable header"},
    {"bad_record", "records were skipped: torn or damaged"},
    {"cut_text", "texts were cut: longer than a record"},
    {"cut_identity", "events were cut or skipped: name or number out of range"},
    {"older_than_rollup", "events were skipped: older than the ledger's raw events"},
    {"rolled_up",
     "events are rolled up (windows and wasted progress of that time are exact to a minute)"},
    {"bad_database", "databases were skipped: unreadable (their rollups are missing)"},
    {"clock_step",
     "clocks were set, or machines suspended, while a process ran: its times follow the monotonic "
     "clock"},
    {"clock_ahead",
     "clocks of hosts were ahead of the server's: their times follow the server's clock"},
    {"two_clocks",
     "times between attempts are by the clocks of two hosts, which may differ: no host has both "
     "attempts"},
    {"other_clock",
     "clocks of hosts differ from the others': their times are moved to where other ranks told the "
     "same steps"},
    {"repeated_attempt", "attempts have the name of an earlier one: told apart by their processes"},
    {"attempt_names", "processes of one attempt name it differently: joined by their times"},
    {"steps_counted_anew",
     "times step numbers restarted within a process, as in each epoch: renumbered to continue"},
    {"part_of_step", "steps were told more than once by one process: parts of one step"},
    {"clock_order",
     "clocks of hosts are wrong by at least this, since an attempt cannot begin before the one it "
     "follows: their times are moved by it"},
    {"other_leader",
     "parts of an attempt are told by another rank: the log of the lowest one has gaps"},
    {"out_of_order", "events came out of order: put in the order of their sequence numbers"},
    {"step_without_number", "step starts were skipped: no step number"},
    {"lost_events", "events are lost: stored before, now missing or damaged"},
    {"repaired", "segments were lost before a repair: the numbers are without their events"},
});
static_assert(kNotes.size() == static_cast<size_t>(NoteKind::kCount));

}  // namespace

std::span<const NoteText> NoteTexts(NoteKind) { return kNotes; }

Phrase FirstOf(std::span<const Note> notes) {
  return notes.empty() ? Phrase() : notes.front().message;
}

void SaveNotes(const Notes& notes, StateWriter& out) {
  out.Unsigned(kNotes.size());
  for (size_t k = 0; k < kNotes.size(); ++k) {
    out.Text(kNotes[k].name);
    out.Signed(notes.Count(static_cast<NoteKind>(k)));
  }
}

Notes LoadNotes(StateReader& in) {
  Notes notes;
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    const std::string_view name = in.Bytes();
    const int64_t count = in.Signed();
    const auto text = std::ranges::find(kNotes, name, &NoteText::name);
    if (text == kNotes.end()) continue;
    const auto kind = static_cast<NoteKind>(text - kNotes.begin());
    if (notes.Count(kind) == 0) notes.Add(kind, count);
  }
  return notes;
}

}  // namespace stepscope::goodput
