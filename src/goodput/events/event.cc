// Lists the names of the kinds of events.
#include "goodput/events/event.h"

#include <algorithm>
#include <array>

namespace stepscope::goodput {
namespace {

// In the order of EventKind.
constexpr auto kNames = std::to_array<std::string_view>({
    "none",
    "job_start",
    "job_end",
    "step_start",
    "step_end",
    "heartbeat",
    "resume_from",
    "preemption_notice",
    "checkpoint_commit",
    "accelerator_init_begin",
    "accelerator_init_end",
    "training_prep_begin",
    "training_prep_end",
    "data_loading_begin",
    "data_loading_end",
    "custom_begin",
    "custom_end",
    "elastic_wait_begin",
    "elastic_wait_end",
    "elastic_reinit_begin",
    "elastic_reinit_end",
    "elastic_slices",
    "checkpoint_save",
    "checkpoint_restore",
    "checkpoint_emergency_restore",
    "job_submitted",
    "resources",
    "spare_swap",
    "work",
    "dropped",
    "process_end",
    "job_state",
    "checkpoint_save_begin",
    "checkpoint_save_end",
    "checkpoint_restore_begin",
    "checkpoint_restore_end",
    "label",
    "watched",
});
static_assert(kNames.size() == static_cast<size_t>(EventKind::kCount));

}  // namespace

std::string_view EventKindName(EventKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kNames.size() ? kNames[index] : kNames[0];
}

EventKind EventKindNamed(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  return found == kNames.end() ? EventKind::kNone : static_cast<EventKind>(found - kNames.begin());
}

}  // namespace stepscope::goodput
