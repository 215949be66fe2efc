// Defines the names and messages of notes about Perfetto's traces.
#include "ingest/perfetto/perfetto_notes.h"

#include <array>

namespace stepscope::perfetto {
namespace {

// In the order of PerfettoNote.
constexpr auto kTexts = std::to_array<NoteText>({
    {"without_end", "ranges were ended with the recording: they have no end"},
    {"end_alone", "ends of events were skipped: the events have no beginning"},
    {"lost_packets", "packets were skipped: packets that define their names were lost"},
    {"damaged_packets", "packets were skipped: they are damaged"},
    {"unknown_clock",
     "times were kept as recorded: the file does not relate their clock to others"},
    {"kinds_inferred",
     "events were classified by their arguments and names: they have no category"},
    {"gpu_counters", "samples of GPU counters were skipped: no analysis uses them"},
});
static_assert(kTexts.size() == static_cast<size_t>(PerfettoNote::kCount));

}  // namespace

std::span<const NoteText> NoteTexts(PerfettoNote) { return kTexts; }

}  // namespace stepscope::perfetto
