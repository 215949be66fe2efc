// Files are told by their first bytes, whatever their names.
#include "session/stuck_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "ingest/flight/flight_reader.h"
#include "ingest/flight/look_for_dumps.h"

namespace stepscope {
namespace {

constexpr int64_t kMostLookedAt = 4096;  // files of all directories, where there is no trace

struct Kinds {
  int64_t dumps = 0, stacks = 0, ras = 0;
  LookedAt looked_at;
  std::string first;  // the first path that leads to one
  int64_t All() const { return dumps + stacks + ras; }
};

void Count(std::string_view bytes, Kinds& kinds) {
  kinds.looked_at.bytes += static_cast<int64_t>(bytes.size());
  const HangFile kind = SureHangFileOf(bytes);
  kinds.dumps += kind == HangFile::kDump;
  kinds.stacks += kind == HangFile::kStacks;
  kinds.ras += kind == HangFile::kRas;
}

void LookAt(const std::string& path, const Places& places, Kinds& kinds) {
  if (++kinds.looked_at.files > kMostLookedAt || places.Stored(path)) return;
  auto source = places.Open(path);
  if (source) Count(source->Peek(kHangSniff), kinds);
}

void LookInto(const std::string& folder, const Places& places, Kinds& kinds) {
  const auto items = places.List(folder);
  if (!items) return;
  for (const StoredItem& item : *items)
    if (item.kind == StoredItem::Kind::kFile) LookAt(item.path, places, kinds);
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

bool AreOfStuckJob(std::span<const std::string> files) {
  return std::ranges::all_of(files, [](const std::string& path) {
    return SureHangFileOf(StartOfFile(path)) != HangFile::kNone;
  });
}

LookedAt NoteStuckJob(std::span<const std::string> paths, const FoundTraces& traces,
                      const Places& places, std::vector<Note>& notes) {
  const std::set<std::string> known(traces.files.begin(), traces.files.end());
  LookedAt all;
  for (const std::string& path : paths) {
    const auto item = places.Find(path);
    if (!item || item->kind != StoredItem::Kind::kFolder || places.Stored(path)) continue;
    Kinds kinds;
    const auto items = places.List(path);
    if (!items) continue;
    for (const StoredItem& file : *items) {
      if (file.kind != StoredItem::Kind::kFile || known.contains(file.path)) continue;
      if (++all.files > kMostNoted) break;
      Count(StartOfFile(file.path), kinds);
    }
    all.files = std::min(all.files, kMostNoted);
    all.bytes += kinds.looked_at.bytes;
    if (kinds.All() == 0) continue;
    notes.push_back({"stuck_job", kinds.All(),
                     "files of a stuck job lie beside the traces: `stepscope hang` reads them",
                     path});
  }
  return all;
}

}  // namespace stepscope
