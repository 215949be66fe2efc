// Implements kinds of tasks.
#include "ingest/common/ascend_task.h"

#include <algorithm>
#include <array>

#include "trace/communication_names.h"

namespace stepscope {

Kind KindOfAscendTask(std::string_view name, bool groups_told) {
  constexpr auto kWaits = std::to_array<std::string_view>(
      {"EVENT_WAIT", "EVENT_RECORD", "EVENT_RESET", "NOTIFY_WAIT", "NOTIFY_RECORD", "Notify_Wait",
       "Notify_Record", "WRITE_VALUE", "PLACE_HOLDER", "MODEL_MAINTENANCE", "PROFILER_TRACE"});
  const auto begins = [&](std::string_view with) { return name.starts_with(with); };
  if (std::ranges::any_of(kWaits, begins)) return Kind::kSync;
  if (begins("MEMCPY") || begins("SDMA")) return Kind::kMemcpy;
  if (begins("MEMSET")) return Kind::kMemset;
  if (!IsCommunicationName(name)) return Kind::kCompute;
  return groups_told ? Kind::kUnknown : Kind::kCommunication;
}

}  // namespace stepscope
