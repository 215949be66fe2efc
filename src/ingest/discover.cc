// Finds trace files in directories.
#include "ingest/discover.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>
#include <tuple>

#include "base/url_word.h"
#include "ingest/listing.h"
#include "ingest/profiles.h"
#include "ingest/rank_name.h"
#include "trace/notes.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

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

Error MustBeExported(const std::string& path) {
  return {"reports of Nsight Systems must be exported first", path,
          "nsys export --type sqlite " + path};
}

// The files of the newest of a job's profiles, and a note about the others.
std::vector<std::string> NewestProfile(std::vector<Profile> profiles, const std::string& folder,
                                       std::vector<Note>& notes) {
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

// Whether it begins like a trace; other tools write JSON, too.
bool BeginsLikeTrace(const std::string& path, const Places& places) {
  constexpr size_t kSeen = 65536;
  const auto name = fs::path(path).filename().string();
  if (!name.ends_with(".json") && !name.ends_with(".gz")) return true;
  auto source = places.Open(path);
  if (!source) return false;
  const std::string_view text = source->Peek(kSeen);
  return std::ranges::any_of(
      std::to_array<std::string_view>({"\"traceEvents\"", "\"schemaVersion\"", "\"ph\""}),
      [&](std::string_view sign) { return text.contains(sign); });
}

bool HoldsTraces(const std::string& folder, const Places& places) {
  constexpr size_t kMostSeen = 16;
  const auto traces = TracesOfRun(folder, places);
  return std::ranges::any_of(traces | std::views::take(kMostSeen), [&](const std::string& path) {
    return BeginsLikeTrace(path, places);
  });
}

// What to give for a job alone: the folder of its processes where no other job has profiles below
// it, else the folders of all, else, of the folder that was given, that of the newest profile.
std::string NameOfJob(std::vector<Profile> job, const std::string& folder,
                      const std::vector<Profile>& all) {
  const fs::path given = (fs::path(folder) / "").lexically_normal();
  const auto below = [](const fs::path& path, const fs::path& top) {
    const fs::path relative = path.lexically_relative(top);
    return !relative.empty() && *relative.begin() != "..";
  };
  std::set<fs::path> processes;
  for (const Profile& profile : job) processes.insert(profile.Process());
  const fs::path logs = job.front().Logs();
  const auto here = [&](const Profile& profile) { return below(profile.Process(), logs); };
  const auto same = [&](const fs::path& path) { return (path / "").lexically_normal() == given; };
  if (processes.size() > 1 && !same(logs) && std::ranges::count_if(all, here) == std::ssize(job)) {
    return logs.string();
  }
  if (processes.size() == 1 && same(*processes.begin())) return TakeNewestJob(job).back().folder;
  std::string text;
  for (const fs::path& process : processes) text += (text.empty() ? "" : " ") + process.string();
  return text;
}

// What to give for each of several runs below a folder without traces of its own; empty where there
// is one. `folders` may hold traces beside the profiles, or be those of profiles.
std::vector<std::string> RunsBelow(const std::vector<Profile>& profiles, const std::string& folder,
                                   const std::vector<std::string>& folders, const Places& places) {
  const auto jobs = JobsOf(profiles);
  std::vector<std::string> runs;
  std::ranges::copy_if(folders, std::back_inserter(runs), [&](const std::string& below) {
    return std::ranges::find(profiles, below, &Profile::folder) == profiles.end() &&
           HoldsTraces(below, places);
  });
  if (jobs.size() + runs.size() < 2) return {};
  for (const std::vector<Profile>& job : jobs) runs.push_back(NameOfJob(job, folder, profiles));
  std::ranges::sort(runs, NaturalLess);
  return runs;
}

// Traces of the subfolders that are named by ranks.
std::vector<std::string> TracesOfRankFolders(const Places& places,
                                             const std::vector<std::string>& folders) {
  std::vector<std::string> traces;
  for (const std::string& folder : folders) {
    if (!RankFromPath(fs::path(folder).filename().string())) continue;
    const auto listing = List(places, folder);
    if (!listing) continue;
    traces.insert(traces.end(), listing->traces.begin(), listing->traces.end());
  }
  return traces;
}

// Of a folder whose traces are in subfolders named by ranks: a note about others that hold traces.
void NoteOtherFolders(const Places& places, const std::vector<std::string>& folders,
                      std::vector<Note>& notes) {
  std::vector<std::string> others;
  std::ranges::copy_if(folders, std::back_inserter(others), [&](const std::string& folder) {
    return !RankFromPath(fs::path(folder).filename().string()) && HoldsTraces(folder, places);
  });
  if (others.empty()) return;
  notes.push_back({.name = "other_folders",
                   .count = std::ssize(others),
                   .message = "folders beside those that are named by ranks hold traces, too; they "
                              "are left out",
                   .where = others.front()});
}

// "give one of the 12 subdirectories with traces: a, b, c, d, e, ...".
std::string SayOneOf(std::string_view what, const std::vector<std::string>& given) {
  constexpr size_t kNamed = 5;
  std::string text = "give one of the " + std::to_string(given.size()) + " " + std::string(what);
  for (size_t i = 0; i < std::min(given.size(), kNamed); ++i)
    text += (i == 0 ? ": " : ", ") + given[i];
  return text + (given.size() > kNamed ? ", ..." : "");
}

Error NoTraces(const std::string& folder, const std::vector<std::string>& below) {
  std::string hint = "give a directory with the traces of one job, or the files";
  if (below.size() == 1) hint = "give its subdirectory with traces: " + below.front();
  if (below.size() > 1) hint = SayOneOf("subdirectories with traces", below);
  return {
      "there are no traces (*.json, *.json.gz, *.xplane.pb, *.sqlite, *results.db, *.pftrace) "
      "in this directory",
      folder, hint};
}

Result<std::vector<std::string>> TracesOfFolder(const Places& places, const std::string& folder,
                                                FoundTraces& found) {
  auto listing = List(places, folder);
  if (!listing) return std::unexpected(listing.error());
  ReadCapture(places, folder, found);
  if (!listing->traces.empty()) return std::move(listing->traces);
  auto traces = TracesOfRankFolders(places, listing->folders);
  if (!traces.empty()) {
    NoteOtherFolders(places, listing->folders, found.notes);
    return traces;
  }
  std::erase_if(listing->folders,
                [&](const std::string& below) { return TracesOfRun(below, places).empty(); });
  if (auto profiles = ProfilesBelow(places, folder); !profiles.empty()) {
    const auto runs = RunsBelow(profiles, folder, listing->folders, places);
    if (runs.empty()) return NewestProfile(std::move(profiles), folder, found.notes);
    return std::unexpected(
        Error{"there are several runs in this directory", folder, SayOneOf("runs", runs)});
  }
  if (!listing->reports.empty()) return std::unexpected(MustBeExported(listing->reports.front()));
  return std::unexpected(NoTraces(folder, listing->folders));
}

}  // namespace

Error NothingAt(const std::string& path, bool stored) {
  if (!stored) return NoFileAt(path, "check the spelling and the current directory");
  return {"there is no such file or directory", path,
          "check the address and the spelling: of a bucket, no object's name begins so"};
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
  return TracesOfRankFolders(places, listing->folders);
}

ProcessProfiles ProfilesOfProcesses(const std::string& folder, const Places& places) {
  std::vector<Profile> profiles;
  for (const std::string& process : FoldersIn(folder, places))
    std::ranges::move(ProfilesIn(places, process), std::back_inserter(profiles));
  ProcessProfiles answer;
  if (JobsOf(profiles).size() == 1) {
    const std::vector<Profile> newest = TakeNewestJob(profiles);
    answer.together = newest.size() > 1;
    for (const Profile& profile : newest) {
      if (answer.together)
        answer.files.insert(answer.files.end(), profile.files.begin(), profile.files.end());
      else
        profiles.push_back(profile);
    }
  }
  std::ranges::sort(profiles, NaturalLess, &Profile::folder);
  for (Profile& profile : profiles) answer.others.push_back(std::move(profile.folder));
  return answer;
}

std::vector<std::string> FoldersIn(const std::string& folder, const Places& places) {
  auto listing = List(places, folder);
  return listing ? std::move(listing->folders) : std::vector<std::string>{};
}

}  // namespace stepscope
