// Tells traces by their names.
#include "ingest/listing.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "ingest/natural_less.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqlite = ".sqlite";           // an exported report of Nsight Systems
constexpr std::string_view kPartials = ".ranks.parquet";  // as `stepscope map` names them
constexpr std::string_view kRocpd = "results.db";         // as rocprofv3 names its databases
constexpr auto kPerfetto = std::to_array<std::string_view>({".pftrace", ".perfetto-trace"});

// A database of Ascend's profiler, by its name.
bool IsAscendDatabase(std::string_view name) {
  return name.ends_with(".db") && (name.starts_with("msprof_") ||
                                   (name.starts_with("ascend_") && name.contains("profiler")));
}

bool LooksLikeTrace(const StoredItem& item) {
  if (item.kind != StoredItem::Kind::kFile) return false;
  const std::string name = fs::path(item.path).filename();
  return !name.starts_with('.') && name != kCaptureFile &&
         (name.ends_with(".json") || name.ends_with(".gz") || name.ends_with(kXPlane) ||
          name.ends_with(kSqlite) || name.ends_with(kRocpd) || name.ends_with(kPartials) ||
          IsAscendDatabase(name) || std::ranges::any_of(kPerfetto, [&](std::string_view end) {
            return name.ends_with(end);
          }));
}

// Leaves out what JAX writes of the same time beside its profiles: "host.trace.json.gz", of which a
// viewer showed the first million events, and the like; and of what rocprofv3 writes as a database,
// the same in JSON; and of what Ascend's profiler writes as a timeline, the same as a database.
void KeepOneOfEach(std::vector<std::string>& traces) {
  const auto is_timeline = [](const std::string& path) {
    return fs::path(path).filename().string().starts_with("trace_view.json");
  };
  if (std::ranges::any_of(traces, is_timeline)) {
    std::erase_if(traces, [](const std::string& path) {
      return IsAscendDatabase(fs::path(path).filename().string());
    });
  }
  std::set<std::string> profiled;  // paths without their ends
  std::set<std::string> databases;
  for (const std::string& path : traces) {
    if (path.ends_with(kRocpd)) databases.insert(path.substr(0, path.size() - kRocpd.size()));
    for (const std::string_view end : {kXPlane, std::string_view(".xplane.pb.gz")}) {
      if (path.ends_with(end)) profiled.insert(path.substr(0, path.size() - end.size()));
    }
  }
  if (profiled.empty() && databases.empty()) return;
  std::erase_if(traces, [&](const std::string& path) {
    for (const std::string_view end : {"results.json", "results.json.gz"}) {
      if (path.ends_with(end) && databases.contains(path.substr(0, path.size() - end.size())))
        return true;
    }
    for (const std::string_view end : {".trace.json.gz", ".memory_profile.json.gz"}) {
      if (path.ends_with(end) && profiled.contains(path.substr(0, path.size() - end.size())))
        return true;
    }
    return fs::path(path).filename() == "perfetto_trace.json.gz";
  });
}

}  // namespace

bool IsNsysReport(const std::string& path) {
  return path.ends_with(".nsys-rep") || path.ends_with(".qdrep");
}

Result<Listing> List(const Places& places, const std::string& folder) {
  auto items = places.List(folder);
  if (!items) return std::unexpected(items.error());
  Listing listing;
  for (StoredItem& item : *items) {
    if (LooksLikeTrace(item))
      listing.traces.push_back(std::move(item.path));
    else if (item.kind == StoredItem::Kind::kFolder)
      listing.folders.push_back(std::move(item.path));
    else if (IsNsysReport(item.path))
      listing.reports.push_back(std::move(item.path));
  }
  std::ranges::sort(listing.reports, NaturalLess);
  KeepOneOfEach(listing.traces);
  std::ranges::sort(listing.traces, NaturalLess);
  std::ranges::sort(listing.folders, NaturalLess);
  return listing;
}

}  // namespace stepscope
