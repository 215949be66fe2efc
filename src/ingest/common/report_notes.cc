// Defines the names and messages of notes about reports.
#include "ingest/common/report_notes.h"

#include <array>

namespace stepscope {
namespace {

// In the order of ReportNote.
constexpr auto kTexts = std::to_array<NoteText>({
    {"rank_from_device",
     "ranks were numbered by device and process ID: the file holds several processes and no rank"},
    {"rank_from_communicator",
     "the rank was taken from the largest communicator: the file has no other"},
    {"graphs_as_whole",
     "executions of CUDA graphs were counted as compute: their kernels were not recorded "
     "(use `nsys profile --cuda-graph-trace=node`)"},
    {"without_end", "ranges were ended with the recording: they have no end"},
    {"other_processes", "processes were left out: they used no device"},
    {"unreadable_table", "tables were left out: they lack columns that are needed"},
    {"newer_schema",
     "the file has a newer schema than this version knows: unknown columns were not read"},
    {"end_alone", "ends of events were skipped: the events have no beginning"},
    {"lost_packets", "packets were skipped: packets that define their names were lost"},
    {"damaged_packets", "packets were skipped: they are damaged"},
    {"unknown_clock",
     "times were kept as recorded: the file does not relate their clock to others"},
    {"kinds_inferred",
     "events were classified by their arguments and names: they have no category"},
    {"gpu_counters", "samples of GPU counters were skipped: no analysis uses them"},
    {"unknown_kernel",
     "kernels were called 'unknown kernel' and counted as compute: the file does not name them"},
    {"unknown_call", "calls were called 'call': the file does not name them"},
    {"unknown_agent",
     "activities were counted on devices of their own: the file does not list their agents"},
    {"odd_entries", "entries of lists of names and devices were skipped: they are not objects"},
});
static_assert(kTexts.size() == static_cast<size_t>(ReportNote::kCount));

}  // namespace

std::span<const NoteText> NoteTexts(ReportNote) { return kTexts; }

}  // namespace stepscope
