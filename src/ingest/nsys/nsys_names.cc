// Takes names apart, and puts together those that the report has as numbers.
#include "ingest/nsys/nsys_names.h"

#include <fmt/format.h>

#include <array>

namespace stepscope::nsys {
namespace {

constexpr std::string_view kDigits = "0123456789";

// CUPTI's CUpti_ActivityMemcpyKind and, from 11 on, migrations of unified memory.
constexpr auto kCopies =
    std::to_array<std::string_view>({"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
                                     "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"});
constexpr auto kMemories =
    std::to_array<std::string_view>({"Pageable", "Pinned", "Device", "Array", "Managed",
                                     "Device Static", "Managed Static", "Unknown"});
constexpr auto kSyncs = std::to_array<std::string_view>(
    {"", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"});

template <size_t N>
std::string_view At(const std::array<std::string_view, N>& names, int64_t number,
                    std::string_view other) {
  return number >= 0 && number < static_cast<int64_t>(N) ? names[static_cast<size_t>(number)]
                                                         : other;
}

}  // namespace

std::string_view WithoutVersion(std::string_view call) {
  constexpr size_t kDigitsOfVersion = 4;  // "_v3020", "_v11010"
  const size_t last = call.find_last_not_of(kDigits);
  if (last == call.npos || last < 2 || call.substr(last - 1, 2) != "_v") return call;
  return call.size() - last - 1 < kDigitsOfVersion ? call : call.substr(0, last - 1);
}

std::string CopyName(int64_t kind, int64_t from, int64_t to) {
  return fmt::format("Memcpy {} ({} -> {})", At(kCopies, kind, "Unknown"),
                     At(kMemories, from, "Unknown"), At(kMemories, to, "Unknown"));
}

std::string SetName(int64_t memory) {
  return fmt::format("Memset ({})", At(kMemories, memory, "Unknown"));
}

std::string_view SyncName(int64_t type) { return At(kSyncs, type, ""); }

}  // namespace stepscope::nsys
