// A rank leaves one dump in a set.
#include "ingest/flight/several_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ingest/flight/rank_of_dump.h"

namespace stepscope {
namespace {

constexpr size_t kMostSets = 1'000;

struct DumpSet {
  std::string folder, form;
  std::map<int64_t, const RankDump*> dumps;
  int64_t newest = kAbsent, written = kAbsent;  // the last operation, and the last file
};

// By their operations: a copy of files has another time.
bool IsNewer(const DumpSet& a, const DumpSet& b) {
  return std::pair(a.newest, a.written) > std::pair(b.newest, b.written);
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

std::vector<DumpSet> SetsOf(std::span<const RankDump> dumps) {
  std::map<std::pair<std::string, std::string>, DumpSet> sets;
  for (const RankDump& dump : dumps) {
    const std::string folder = FolderOf(dump.path), form = FormOfName(dump.path);
    DumpSet& set = sets[{folder, form}];
    set.folder = folder;
    set.form = form;
    set.dumps[dump.rank] = &dump;
    set.newest = std::max(set.newest, dump.newest);
    set.written = std::max(set.written, dump.written);
  }
  std::vector<DumpSet> list;
  for (auto& [key, set] : sets) list.push_back(std::move(set));
  return list;
}

bool Differ(const RankDump& a, const RankDump& b) {
  return a.newest != b.newest || a.oldest != b.oldest || a.recorded != b.recorded;
}

// Ranks that both have a dump of, and not the same one.
int64_t RanksInBoth(const DumpSet& a, const DumpSet& b) {
  return std::ranges::count_if(a.dumps, [&](const auto& dump) {
    const auto at = b.dumps.find(dump.first);
    return at != b.dumps.end() && Differ(*dump.second, *at->second);
  });
}

bool AreOfSeveralJobs(const DumpSet& a, const DumpSet& b) {
  const int64_t both = RanksInBoth(a, b);
  const auto fewer = static_cast<int64_t>(std::min(a.dumps.size(), b.dumps.size()));
  return 2 * both > fewer && (a.folder != b.folder || both > 1);
}

Error ErrorOf(const DumpSet& a, const DumpSet& b) {
  const DumpSet& newest = IsNewer(a, b) ? a : b;
  const DumpSet& other = IsNewer(a, b) ? b : a;
  if (a.folder == b.folder) {
    return {fmt::format("dumps of several jobs or attempts lie here: rank {} left {} and {}",
                        a.dumps.begin()->first, a.dumps.begin()->second->path,
                        b.dumps.begin()->second->path),
            a.folder, "give the files of one of them, or move the others to another directory"};
  }
  return {fmt::format("dumps of several jobs or attempts lie in directories beside one another, "
                      "the newest in {}, others in {}",
                      newest.folder, other.folder),
          "", "give one of them: stepscope hang " + newest.folder};
}

}  // namespace

Result<void> RefuseSeveralJobs(std::span<const RankDump> dumps) {
  std::set<int64_t> ranks;
  for (const RankDump& dump : dumps) ranks.insert(dump.rank);
  if (ranks.size() == dumps.size()) return {};
  auto sets = SetsOf(dumps);
  sets.resize(std::min(sets.size(), kMostSets));
  for (size_t a = 0; a < sets.size(); ++a)
    for (size_t b = a + 1; b < sets.size(); ++b)
      if (AreOfSeveralJobs(sets[a], sets[b])) return std::unexpected(ErrorOf(sets[a], sets[b]));
  return {};
}

}  // namespace stepscope
