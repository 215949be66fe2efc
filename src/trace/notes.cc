// Defines the names and messages of notes.
#include "trace/notes.h"

#include <array>

namespace stepscope {
namespace {

// In the order of NoteKind.
constexpr auto kTexts = std::to_array<NoteText>({
    {"unreadable", "files were left out: they cannot be read"},
    {"not_a_trace", "files were left out: they are not traces"},
    {"truncated", "files were used in part: they end early"},
    {"corrupt", "files were used in part: compressed data is damaged"},
    {"malformed", "text was skipped: it is not JSON"},
    {"trailing_bytes", "bytes were ignored: they follow the end of the trace"},
    {"invalid_text", "characters were replaced by '?': JSON text must not contain them"},
    {"duplicate_file", "files were left out: duplicates of another trace"},
    {"snapshots",
     "snapshots of continuous profiling were read as one run: the time between them was not "
     "recorded and counts as nothing"},
    {"repeated_snapshot", "snapshots were left out: another one has a part of their time"},
    {"other_profiles",
     "older profiles were left out: only the newest of a directory is used (give a profile's own "
     "directory to use it)"},
    {"rank_from_name", "the rank was taken from the file name: the trace has none"},
    {"rank_from_order", "ranks were numbered by file order: neither trace nor file name has one"},
    {"rank_disagrees", "the rank in the file name was ignored: the trace has another"},
    {"missing_ranks", "ranks of this job have no trace"},
    {"other_groups",
     "traces may be of another job: their process groups are not those of the first"},
    {"other_times",
     "traces may be of another job: ranks of one machine were not recorded at the same time"},
    {"steps_again",
     "recordings may be of another start of the job: their step numbers begin again"},
    {"unknown_category", "events were left out of all analyses: unknown category"},
    {"unknown_phase", "events were skipped: not complete, instant, counter or flow events"},
    {"unknown_memory_use", "memory was counted as unknown: its use is not known to this version"},
    {"unreadable_event", "events were skipped: no valid time, name or size"},
    {"unreadable_stat", "event properties were skipped: they refer to nothing in the file"},
    {"aggregated_event", "aggregated events were skipped: no times of their own"},
    {"sub_nanosecond", "event times were truncated: finer than 1 ns"},
    {"profiler_said", "the profiler recorded a warning or an error"},
    {"value_out_of_range", "arguments were skipped: not a number in range"},
    {"negative_duration", "events were given duration 0: they end before they start"},
    {"huge_duration", "device activities were skipped: longer than a day"},
    {"clock_step", "device activities were skipped: more than a day from the others"},
    {"overlapping",
     "activities start before the previous one of their stream ends (shared time counts once)"},
    {"no_gpu_events", "the trace has no device activity"},
    {"of_ascend",
     "the trace of Ascend's profiler has no device activity (record with ProfilerActivity.NPU)"},
    {"without_launch",
     "activities have no launch call in the trace (they are in no step, and the gaps before them "
     "are not host-bound)"},
    {"outside_steps", "activities were launched outside steps"},
    {"repeated_step", "steps were left out: an earlier step has the same number"},
    {"step_within_step",
     "steps were merged into others: they lie within them, as with several threads"},
    {"steps_from_module",
     "steps were derived from executions of the largest compiled program: none are marked"},
    {"steps_from_optimizer", "steps were derived from optimizer steps: none are marked"},
    {"steps_from_functions",
     "steps were derived from calls of the tf.function with the most time: none are marked"},
    {"steps_without_end",
     "calls of functions were not taken for steps: the trace has their dispatch, not their end"},
    {"communication_by_call",
     "kernels were counted as communication: the call of a collective launched them, and their "
     "names are unknown"},
});
static_assert(kTexts.size() == static_cast<size_t>(NoteKind::kCount));

}  // namespace

std::string_view NoteName(NoteKind kind) { return kTexts[static_cast<size_t>(kind)].name; }
std::string_view NoteMessage(NoteKind kind) { return kTexts[static_cast<size_t>(kind)].message; }

std::span<const NoteText> NoteTexts(NoteKind) { return kTexts; }

}  // namespace stepscope
