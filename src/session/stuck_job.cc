// Files are told by their first bytes, whatever their names.
#include "session/stuck_job.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "ingest/flight/flight_reader.h"

namespace stepscope {
namespace {

constexpr int64_t kMostLookedAt = 4096;  // files of all directories

struct Kinds {
  int64_t dumps = 0, stacks = 0, ras = 0, looked_at = 0;
  std::string first;  // the first path that leads to one
  int64_t All() const { return dumps + stacks + ras; }
};

// Of pickles only those with a dump's keys: there are others.
bool IsDump(std::string_view bytes) {
  for (const std::string_view key :
       {"pg_config", "pg_status", "nccl_version", "comm_lib_version", "collective_seq_id"})
    if (bytes.find(key) != bytes.npos) return true;
  return false;
}

void LookAt(const std::string& path, const Places& places, Kinds& kinds) {
  if (++kinds.looked_at > kMostLookedAt || places.Stored(path)) return;
  auto source = places.Open(path);
  if (!source) return;
  const std::string_view bytes = source->Peek(kHangSniff);
  const HangFile kind = HangFileOf(bytes);
  kinds.dumps += kind == HangFile::kDump && IsDump(bytes);
  kinds.stacks += kind == HangFile::kStacks;
  kinds.ras += kind == HangFile::kRas;
}

void LookInto(const std::string& folder, const Places& places, Kinds& kinds,
              const std::set<std::string>& passed_over = {}) {
  const auto items = places.List(folder);
  if (!items) return;
  for (const StoredItem& item : *items)
    if (item.kind == StoredItem::Kind::kFile && !passed_over.contains(item.path))
      LookAt(item.path, places, kinds);
}

std::string TextOf(const Kinds& kinds) {
  std::string text;
  const auto add = [&](int64_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  add(kinds.dumps, "Flight Recorder dump", "Flight Recorder dumps");
  add(kinds.stacks, "stack dump", "stack dumps");
  add(kinds.ras, "status of NCCL's RAS", "statuses of NCCL's RAS");
  return text;
}

}  // namespace

std::optional<Error> OfStuckJob(std::span<const std::string> paths, const Places& places) {
  Kinds kinds;
  for (const std::string& path : paths) {
    const auto item = places.Find(path);
    if (!item || places.Stored(path)) continue;
    const int64_t before = kinds.All();
    if (item->kind == StoredItem::Kind::kFile) LookAt(path, places, kinds);
    if (item->kind == StoredItem::Kind::kFolder) {
      LookInto(path, places, kinds);
      for (const std::string& below : FoldersIn(path, places)) LookInto(below, places, kinds);
    }
    if (kinds.first.empty() && kinds.All() > before) kinds.first = path;
  }
  if (kinds.All() == 0) return std::nullopt;
  return Error{"what a stuck job left behind is not a trace: " + TextOf(kinds), kinds.first,
               "stepscope hang " + kinds.first};
}

void NoteStuckJob(std::span<const std::string> paths, const FoundTraces& traces,
                  const Places& places, std::vector<Note>& notes) {
  const std::set<std::string> known(traces.files.begin(), traces.files.end());
  for (const std::string& path : paths) {
    const auto item = places.Find(path);
    if (!item || item->kind != StoredItem::Kind::kFolder || places.Stored(path)) continue;
    Kinds kinds;
    LookInto(path, places, kinds, known);
    if (kinds.All() == 0) continue;
    notes.push_back({"stuck_job", kinds.All(),
                     "files of a stuck job lie beside the traces: `stepscope hang` reads them",
                     path});
  }
}

}  // namespace stepscope
