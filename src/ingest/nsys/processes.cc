// Looks through the tables for processes.
#include "ingest/nsys/processes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "ingest/common/reader_limits.h"
#include "ingest/nsys/nsys_tables.h"

namespace stepscope::nsys {
namespace {

// A report has as many as a host runs; more are damage.
constexpr size_t kMostProcesses = 1024;

class Search {
 public:
  explicit Search(const DatabaseFile& file) : file_(file) {}

  void LookAtDevices(std::string_view table) {
    constexpr auto kColumns = std::to_array<std::string_view>({"globalPid", "deviceId"});
    Rows rows = file_.Read(table, kColumns);
    std::pair<int64_t, int64_t> last{-1, -1};
    while (rows.Next()) {
      const std::pair used{ProcessOf(rows.Int(0).value_or(0)), rows.Int(1).value_or(0)};
      if (used == last) continue;
      last = used;
      if (first_device_.size() >= kMostProcesses && !first_device_.contains(used.first)) continue;
      const auto [at, is_new] = first_device_.try_emplace(used.first, used.second);
      at->second = std::min(at->second, used.second);
    }
  }

  void LookAtThreads(std::string_view table) {
    constexpr auto kColumns = std::to_array<std::string_view>({"globalTid"});
    Rows rows = file_.Read(table, kColumns);
    while (rows.Next()) {
      const auto thread = rows.Int(0);
      if (thread && first_device_.size() < kMostProcesses)
        first_device_.try_emplace(ProcessOf(*thread), -1);
    }
  }

  std::vector<int64_t> InOrder() const {
    std::vector<std::pair<int64_t, int64_t>> places;  // device, process
    for (const auto& [process, device] : first_device_) places.emplace_back(device, process);
    std::ranges::sort(places);
    std::vector<int64_t> order;
    for (const auto& [device, process] : places) order.push_back(process);
    return order;
  }

 private:
  const DatabaseFile& file_;
  std::map<int64_t, int64_t> first_device_;  // by process
};

std::optional<int64_t> FirstInt(const DatabaseFile& file, std::string_view table,
                                std::string_view column) {
  const std::array columns = {column};
  Rows rows = file.Read(table, columns);
  return rows.Next() ? rows.Int(0) : std::nullopt;
}

// `nsys export --ts-normalize` has shifted all times already.
bool IsNormalized(const DatabaseFile& file) {
  return ValueIn(file, kExport, "EXPORT_PARAM_TIME_NORMALIZE") == "true";
}

}  // namespace

std::vector<int64_t> FindProcesses(const DatabaseFile& file) {
  Search search(file);
  for (const std::string_view table : kDeviceTables) search.LookAtDevices(table);
  if (search.InOrder().empty()) {
    search.LookAtThreads(kCalls);
    search.LookAtThreads(kRanges);
  }
  return search.InOrder();
}

// Times count from the start of the session, or, where the capture's start is told as a reading of
// the system's clock, on that clock.
int64_t ShiftOf(const DatabaseFile& file) {
  constexpr std::string_view kSession = "TARGET_INFO_SESSION_START_TIME";
  const auto utc = FirstInt(file, kSession, "utcEpochNs");
  if (!utc || *utc <= 0 || *utc > kMaxTime || IsNormalized(file)) return 0;
  const auto clock = FirstInt(file, kSession, "systemClockNs");
  const auto start = FirstInt(file, "ANALYSIS_DETAILS", "startTime");
  const bool on_clock = clock && start && *clock == *start && *clock > 0 && *clock <= *utc;
  return on_clock ? *utc - *clock : *utc;
}

Processes::Processes(std::vector<int64_t> order, std::optional<size_t> part, int64_t shift)
    : order_(std::move(order)) {
  first_ = part.value_or(0);
  const size_t end = part ? std::min(*part + 1, order_.size()) : order_.size();
  for (size_t p = first_; p < end; ++p) {
    all_.push_back(std::make_unique<ProcessTrace>(order_[p], shift));
    by_process_[order_[p]] = all_.back().get();
  }
}

ProcessTrace* Processes::Of(std::optional<int64_t> global) {
  const int64_t process = ProcessOf(global.value_or(0));
  if (process == last_asked_) return last_;
  const auto at = by_process_.find(process);
  last_asked_ = process;
  last_ = at == by_process_.end() ? nullptr : at->second;
  if (last_ == nullptr && global && left_out_.size() < kMostProcesses &&
      std::ranges::find(order_, process) == order_.end())
    left_out_.insert(process);
  return last_;
}

}  // namespace stepscope::nsys
