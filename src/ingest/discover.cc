// Finds trace files in directories.
#include "ingest/discover.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "ingest/rank_name.h"
#include "trace/notes.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kXPlane = ".xplane.pb";
constexpr std::string_view kSqlite = ".sqlite";    // an exported report of Nsight Systems
constexpr std::string_view kRocpd = "results.db";  // as rocprofv3 names its databases
constexpr auto kPerfetto = std::to_array<std::string_view>({".pftrace", ".perfetto-trace"});
// Beside captured traces: which workers gave one, and which did not (src/capture/common).
constexpr std::string_view kCaptureFile = "stepscope-capture.json";
// Folders that are looked into for profiles: a limit for those who give "/".
constexpr size_t kMostFolders = 100'000;

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
          name.ends_with(kSqlite) || name.ends_with(kRocpd) || IsAscendDatabase(name) ||
          std::ranges::any_of(kPerfetto,
                              [&](std::string_view end) { return name.ends_with(end); }));
}

// A report of Nsight Systems as it is recorded.
bool IsNsysReport(const std::string& path) {
  return path.ends_with(".nsys-rep") || path.ends_with(".qdrep");
}

Error MustBeExported(const std::string& path) {
  return {"reports of Nsight Systems must be exported first", path,
          "nsys export --type sqlite " + path};
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

// What the file of a capture says: how the folder was captured, and a note about the workers that
// gave no trace.
void ReadCapture(const Places& places, const std::string& folder, FoundTraces& found) {
  const std::string path = (fs::path(folder) / kCaptureFile).string();
  if (places.Stored(path)) return;
  std::ifstream in(path, std::ios::binary);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object()) return;
  if (const auto door = json.find("door"); door != json.end() && door->is_string())
    found.captured = *door;
  if (!json.contains("missing") || !json["missing"].is_array()) return;
  const auto count = static_cast<int64_t>(json["missing"].size());
  if (count == 0) return;
  found.notes.push_back(
      {.name = "not_captured",
       .count = count,
       .message = "workers gave no trace when this run was captured: the file says why",
       .where = path});
}

struct Listing {
  std::vector<std::string> traces;
  std::vector<std::string> folders;
  std::vector<std::string> reports;  // of Nsight Systems, not exported
};

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

// A profile as TensorBoard keeps them: the files of all hosts in one folder.
struct Profile {
  std::string folder;
  std::vector<std::string> files;
  int64_t written = INT64_MIN;  // the latest of the files

  // Names are times: "2025_01_31_23_59_59".
  std::string Name() const { return fs::path(folder).filename(); }
  auto Age() const { return std::tuple(Name(), written, folder); }
  // LOGS of LOGS/process0/plugins/profile/2025_01_31_23_59_59.
  fs::path Logs() const {
    return fs::path(folder).parent_path().parent_path().parent_path().parent_path();
  }
};

// Seconds since 1970 of "2025_01_31_23_59_59"; nothing of another name.
std::optional<int64_t> TimeOfName(std::string_view name) {
  using namespace std::chrono;
  std::array<int, 6> parts{};
  const char* at = name.data();
  const char* const end = at + name.size();
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && (at == end || *at++ != '_')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, parts[i]);
    if (error != std::errc()) return std::nullopt;
    at = next;
  }
  const year_month_day date{year(parts[0]), month(static_cast<unsigned>(parts[1])),
                            day(static_cast<unsigned>(parts[2]))};
  if (at != end || !date.ok()) return std::nullopt;
  const auto time = sys_days(date) + hours(parts[3]) + minutes(parts[4]) + seconds(parts[5]);
  return time.time_since_epoch().count();
}

// Processes of a job on one host need folders of their own: side by side, written at one time.
bool OfOneJob(const Profile& a, const Profile& b) {
  constexpr int64_t kAtOneTime = 5;  // seconds
  if (a.Logs() != b.Logs()) return false;
  if (fs::path(a.folder).parent_path() == fs::path(b.folder).parent_path()) return false;
  const auto of_a = TimeOfName(a.Name()), of_b = TimeOfName(b.Name());
  return of_a && of_b && std::abs(*of_a - *of_b) <= kAtOneTime;
}

void AddProfile(const Places& places, const std::string& folder, std::vector<Profile>& profiles) {
  const auto listing = List(places, folder);
  if (!listing) return;
  Profile profile{.folder = folder};
  for (const std::string& file : listing->traces) {
    if (file.contains(kXPlane)) profile.files.push_back(file);
    if (const auto item = places.Find(file))
      profile.written = std::max(profile.written, item->written);
  }
  if (!profile.files.empty()) profiles.push_back(std::move(profile));
}

// All plugins/profile/RUN/ at any depth. Links are followed, each folder once.
std::vector<Profile> ProfilesBelow(const Places& places, const std::string& folder) {
  std::vector<Profile> profiles;
  std::vector<std::string> open = {folder};
  std::set<std::string> seen;
  while (!open.empty() && seen.size() < kMostFolders) {
    const std::string at = std::move(open.back());
    open.pop_back();
    const auto canonical = places.Canonical(at);
    if (!canonical || !seen.insert(*canonical).second) continue;
    const auto listing = List(places, at);
    if (!listing) continue;
    const fs::path whole = *canonical;
    const bool holds_profiles =
        whole.filename() == "profile" && whole.parent_path().filename() == "plugins";
    for (const std::string& below : listing->folders) {
      if (holds_profiles)
        AddProfile(places, below, profiles);
      else
        open.push_back(below);
    }
  }
  return profiles;
}

// The profiles of the newest one's job: that one, and the newest of each folder beside its own.
std::vector<Profile> TakeNewestJob(std::vector<Profile>& profiles) {
  std::ranges::sort(profiles, std::ranges::greater{}, &Profile::Age);
  std::vector<Profile> job, others;
  for (Profile& profile : profiles) {
    const auto beside = [&](const Profile& taken) {
      return fs::path(taken.folder).parent_path() == fs::path(profile.folder).parent_path();
    };
    const bool taken =
        job.empty() || (OfOneJob(job.front(), profile) && std::ranges::none_of(job, beside));
    (taken ? job : others).push_back(std::move(profile));
  }
  profiles = std::move(others);
  std::ranges::sort(job, NaturalLess, &Profile::folder);
  return job;
}

// The files of the newest job's profiles below the folder, and a note about the others.
std::vector<std::string> NewestProfile(const Places& places, const std::string& folder,
                                       std::vector<Note>& notes) {
  std::vector<Profile> profiles = ProfilesBelow(places, folder);
  if (profiles.empty()) return {};
  std::vector<std::string> files;
  for (Profile& profile : TakeNewestJob(profiles))
    std::ranges::move(profile.files, std::back_inserter(files));
  if (!profiles.empty()) {
    Notes others;
    others.Add(NoteKind::kOtherProfiles, static_cast<int64_t>(profiles.size()),
               profiles.front().folder);
    std::ranges::move(others.List(folder), std::back_inserter(notes));
  }
  return files;
}

// Traces of the subfolders that are named by ranks. `others` collects subfolders that hold traces
// and are not, for the error message.
std::vector<std::string> TracesOfRankFolders(const Places& places,
                                             const std::vector<std::string>& folders,
                                             std::vector<std::string>& others) {
  std::vector<std::string> traces;
  for (const std::string& folder : folders) {
    const auto listing = List(places, folder);
    if (!listing || listing->traces.empty()) continue;
    if (RankFromPath(fs::path(folder).filename().string())) {
      traces.insert(traces.end(), listing->traces.begin(), listing->traces.end());
    } else {
      others.push_back(folder);
    }
  }
  return traces;
}

// "give one of the 12 subdirectories with traces: a, b, c, d, e, ...".
std::string SayOneOf(const std::vector<std::string>& folders) {
  constexpr size_t kNamed = 5;
  if (folders.size() == 1) return "give its subdirectory with traces: " + folders.front();
  std::string text =
      "give one of the " + std::to_string(folders.size()) + " subdirectories with traces: ";
  for (size_t i = 0; i < std::min(folders.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + folders[i];
  return text + (folders.size() > kNamed ? ", ..." : "");
}

Result<std::vector<std::string>> TracesOfFolder(const Places& places, const std::string& folder,
                                                FoundTraces& found) {
  auto listing = List(places, folder);
  if (!listing) return std::unexpected(listing.error());
  ReadCapture(places, folder, found);
  if (!listing->traces.empty()) return std::move(listing->traces);
  std::vector<std::string> others;
  auto traces = TracesOfRankFolders(places, listing->folders, others);
  if (traces.empty()) traces = NewestProfile(places, folder, found.notes);
  if (!traces.empty()) return traces;
  if (!listing->reports.empty()) return std::unexpected(MustBeExported(listing->reports.front()));
  std::string hint = "give a directory with the traces of one job, or the files";
  if (!others.empty()) hint = SayOneOf(others);
  return std::unexpected(Error{
      "there are no traces (*.json, *.json.gz, *.xplane.pb, *.sqlite, *results.db, *.pftrace) "
      "in this directory",
      folder, hint});
}

}  // namespace

Error NothingAt(const std::string& path, bool stored) {
  return {"there is no such file or directory", path,
          stored ? "check the address and the spelling"
                 : "check the spelling and the current directory"};
}

// "rank-2" before "rank-10": runs of digits compare by value.
bool NaturalLess(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    size_t x = i;
    size_t y = j;
    while (x < a.size() && digit(a[x])) ++x;
    while (y < b.size() && digit(b[y])) ++y;
    if (x - i != y - j) return x - i < y - j;
    if (const int order = a.compare(i, x - i, b, j, y - j); order != 0) return order < 0;
    i = x, j = y;
  }
  return a.size() - i < b.size() - j;
}

Result<FoundTraces> FindTraces(std::span<const std::string> paths, const Places& places) {
  std::vector<std::string> found;
  FoundTraces unique;
  for (const std::string& path : paths) {
    const auto item = places.Find(path);
    if (!item) return std::unexpected(item.error());
    if (item->kind == StoredItem::Kind::kFolder) {
      auto traces = TracesOfFolder(places, path, unique);
      if (!traces) return std::unexpected(traces.error());
      found.insert(found.end(), traces->begin(), traces->end());
    } else if (item->kind == StoredItem::Kind::kFile) {
      if (IsNsysReport(path)) return std::unexpected(MustBeExported(path));
      found.push_back(path);
    } else {
      return std::unexpected(NothingAt(path, places.Stored(path)));
    }
  }
  std::set<std::string> seen;
  for (std::string& path : found) {
    if (seen.insert(places.Canonical(path).value_or(path)).second)
      unique.files.push_back(std::move(path));
  }
  return unique;
}

std::vector<std::string> TracesOfRun(const std::string& folder, const Places& places) {
  auto listing = List(places, folder);
  if (!listing) return {};
  if (!listing->traces.empty()) return std::move(listing->traces);
  std::vector<std::string> others;
  return TracesOfRankFolders(places, listing->folders, others);
}

std::vector<std::string> FoldersIn(const std::string& folder, const Places& places) {
  auto listing = List(places, folder);
  return listing ? std::move(listing->folders) : std::vector<std::string>{};
}

}  // namespace stepscope
