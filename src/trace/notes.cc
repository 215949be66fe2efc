// The names and sentences of notes.
#include "trace/notes.h"

#include <array>

namespace stepscope {
namespace {

// In the order of NoteKind.
constexpr auto kTexts = std::to_array<NoteText>({
    {"unreadable", "the file could not be read; it was left out"},
    {"not_a_trace", "the file is not a trace; it was left out"},
    {"truncated", "the file ends early; what was whole was used"},
    {"corrupt", "the compressed data is damaged; what came before the damage was used"},
    {"malformed", "parts of the text are no JSON; what could be read around them was used"},
    {"trailing_bytes", "bytes after the end of the trace were ignored"},
    {"invalid_text", "characters that JSON text must not hold were replaced by '?'"},
    {"duplicate_file", "the same recording was given more than once; it was used once"},
    {"other_profiles",
     "the folder holds several profiles, of which the newest was taken; for another, give its "
     "folder"},
    {"rank_from_name", "the trace does not say its rank; it was taken from the file's name"},
    {"rank_from_order", "neither the trace nor its name says a rank; files were numbered in order"},
    {"rank_disagrees", "the trace's own rank was used; its file name says another"},
    {"missing_ranks", "ranks of this job have no trace here"},
    {"unknown_category",
     "events are of a category this version does not know; no analysis counts them"},
    {"unknown_phase",
     "events of a form other than complete, instant, counter or flow were left out"},
    {"unknown_memory_use", "memory is of a use this version does not know; it counts as unknown"},
    {"unreadable_event", "events without a readable time, name or size were left out"},
    {"unreadable_stat", "properties of events that refer to nothing in the file were left out"},
    {"aggregated_event", "events that stand for many, without times of their own, were left out"},
    {"sub_nanosecond",
     "events have times finer than a nanosecond; they were cut off to whole ones"},
    {"profiler_said", "the profiler left a warning or an error with the recording"},
    {"value_out_of_range", "arguments that are no number this tool can hold were left out"},
    {"negative_duration", "events that end before they start were taken to last 0 ns"},
    {"huge_duration", "accelerator work said to last over a day was left out"},
    {"clock_step", "accelerator work more than a day away from the rest was left out"},
    {"overlapping",
     "pieces of work start before the previous one of their stream ends; time that two "
     "share counts once"},
    {"no_gpu_events", "the trace holds no accelerator work"},
    {"without_launch",
     "pieces of accelerator work have no launch call in the trace; they belong to "
     "no step, and gaps before them are not counted as waiting for the host"},
    {"outside_steps", "pieces of accelerator work were launched outside every step"},
    {"repeated_step", "steps occur twice under one number; the later one was left out"},
    {"step_within_step",
     "steps lie within the time of others, as where several threads step side by side; their time "
     "is those others'"},
    {"steps_from_module",
     "the recording marks no steps; each execution of its largest compiled program counts as one"},
    {"steps_from_optimizer",
     "the recording marks no steps; what lies between two steps of the optimizer counts as one"},
});
static_assert(kTexts.size() == static_cast<size_t>(NoteKind::kCount));

}  // namespace

std::string_view NoteName(NoteKind kind) { return kTexts[static_cast<size_t>(kind)].name; }
std::string_view NoteMessage(NoteKind kind) { return kTexts[static_cast<size_t>(kind)].message; }

std::span<const NoteText> NoteTexts(NoteKind) { return kTexts; }

}  // namespace stepscope
