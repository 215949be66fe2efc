// Walks folders for profiles; tells jobs by places and times.
#include "ingest/profiles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ingest/listing.h"
#include "ingest/natural_less.h"
#include "ingest/rank_name.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// Folders that are looked into for profiles: a limit for those who give "/".
constexpr size_t kMostFolders = 100'000;

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
  if (a.Logs() != b.Logs() || a.Process() == b.Process()) return false;
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

bool HoldsRank(const fs::path& process) {
  return RankFromPath(process.filename().string()).has_value();
}

// Which processes are of one job, each with the first of it.
class SameJob {
 public:
  const fs::path& FirstOf(const fs::path& process) {
    const fs::path* at = &first_.try_emplace(process, process).first->second;
    while (first_.at(*at) != *at) at = &first_.at(*at);
    return *at;
  }
  void Join(const fs::path& a, const fs::path& b) {
    const fs::path first = FirstOf(a);
    first_[FirstOf(b)] = first;
  }

 private:
  std::map<fs::path, fs::path> first_;
};

}  // namespace

std::vector<Profile> ProfilesIn(const Places& places, const std::string& folder) {
  std::vector<Profile> profiles;
  const auto listing = List(places, (fs::path(folder) / "plugins" / "profile").string());
  if (!listing) return profiles;
  for (const std::string& below : listing->folders) AddProfile(places, below, profiles);
  return profiles;
}

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

std::vector<std::vector<Profile>> JobsOf(std::vector<Profile> profiles) {
  std::ranges::sort(profiles, {}, [](const Profile& profile) {
    return std::tuple(profile.Logs(), TimeOfName(profile.Name()), profile.folder);
  });
  SameJob same;
  std::map<fs::path, fs::path> ranks;  // by Logs(): a process that is named by its rank
  for (size_t i = 0; i < profiles.size(); ++i) {
    const fs::path process = profiles[i].Process();
    if (i > 0 && OfOneJob(profiles[i - 1], profiles[i]))
      same.Join(profiles[i - 1].Process(), process);
    if (HoldsRank(process))
      same.Join(ranks.try_emplace(profiles[i].Logs(), process).first->second, process);
  }
  std::map<fs::path, std::vector<Profile>> by_first;
  for (Profile& profile : profiles)
    by_first[same.FirstOf(profile.Process())].push_back(std::move(profile));
  std::vector<std::vector<Profile>> jobs;
  for (auto& [first, job] : by_first) jobs.push_back(std::move(job));
  return jobs;
}

std::vector<Profile> TakeNewestJob(std::vector<Profile>& profiles) {
  std::ranges::sort(profiles, std::ranges::greater{}, &Profile::Age);
  std::vector<Profile> job, others;
  for (Profile& profile : profiles) {
    const auto beside = [&](const Profile& taken) { return taken.Process() == profile.Process(); };
    const bool taken =
        job.empty() || (OfOneJob(job.front(), profile) && std::ranges::none_of(job, beside));
    (taken ? job : others).push_back(std::move(profile));
  }
  profiles = std::move(others);
  std::ranges::sort(job, NaturalLess, &Profile::folder);
  return job;
}

}  // namespace stepscope
