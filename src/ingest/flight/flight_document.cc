// Written by torch/csrc/distributed/c10d/FlightRecorder*.hpp; docs/formats/flight-recorder.md has
// the keys.
#include "ingest/flight/flight_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "base/saturate.h"
#include "ingest/flight/flight_calls.h"
#include "ingest/flight/flight_operation.h"
#include "ingest/flight/odd_operations.h"

namespace stepscope {
namespace {

using Kind = Value::Kind;

constexpr size_t kMostText = 512;  // of a name or sizes that is kept
constexpr size_t kMostGroups = 50'000;

int64_t IntOf(Value value) {
  return value.kind == Kind::kInt || value.kind == Kind::kBool ? value.bits : kAbsent;
}

std::string Kept(std::string_view text) { return std::string(text.substr(0, kMostText)); }

int64_t NumberIn(std::string_view text) {
  int64_t number = kAbsent;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : kAbsent;
}

// "[0, 4]", or a list.
std::vector<int64_t> MembersOf(const ValueTree& tree, Value value) {
  std::vector<int64_t> members;
  for (const Value item : tree.List(value))
    if (IntOf(item) >= 0) members.push_back(IntOf(item));
  const std::string_view text = tree.TextOf(value);
  for (size_t at = 0; at < text.size();) {
    int64_t member = -1;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), member);
    if (error == std::errc() && member >= 0) members.push_back(member);
    const auto next = static_cast<size_t>(end - text.data());
    at = next > at ? next : at + 1;
  }
  return members;
}

class Document {
 public:
  explicit Document(const ValueTree& tree) : tree_(tree), fields_(tree.texts(), kUnread) {}
  Result<RankDump> Read();

 private:
  enum Field : uint8_t {
    kRecord,
    kGroup,
    kGroupId,
    kCollective,
    kPeer,
    kOperation,
    kCreated,
    kInSizes,
    kOutSizes,
    kTypes,
    kState,
    kStarted,
    kCompleted,
    kRetired,
    kIsPeer,
    kFrames,
    kOther,
    kUnread
  };
  Field FieldOf(Value key);
  void ReadConfig();
  void ReadEntry(Value entry);
  void Take(Field field, Value value);
  uint32_t GroupOf(Value pair);
  std::string SizesOf(Value value, int64_t& count);
  void TakeState(std::string_view state);
  std::string LineOf(Value frames) const;
  void JoinStatus();
  bool CountsMessages() const;
  bool JoinByOrder(const std::vector<int64_t>& ids);
  void DropOldFinished();

  const ValueTree& tree_;
  std::vector<Field> fields_;  // by id of a key
  RankDump dump_;
  std::unordered_map<std::string, uint32_t> groups_;  // by name and description
  std::vector<bool> peers_in_;                        // point-to-point operations, by group
  std::unordered_map<int64_t, uint32_t> group_of_id_;
  size_t pending_ = 0, listed_ = 0;  // listed: groups of the configuration

  // Of the entry that is being read.
  DumpOperation operation_;
  int64_t id_ = kAbsent, collective_ = kAbsent, peer_ = kAbsent;
  bool has_group_ = false, retired_ = false;
};

Document::Field Document::FieldOf(Value key) {
  if (key.kind != Kind::kText) return kOther;
  Field& field = fields_[static_cast<size_t>(key.bits)];
  if (field != kUnread) return field;
  static constexpr std::pair<std::string_view, Field> kNames[] = {
      {"record_id", kRecord},
      {"process_group", kGroup},
      {"pg_id", kGroupId},
      {"collective_seq_id", kCollective},
      {"p2p_seq_id", kPeer},
      {"profiling_name", kOperation},
      {"time_created_ns", kCreated},
      {"input_sizes", kInSizes},
      {"output_sizes", kOutSizes},
      {"input_dtypes", kTypes},
      {"state", kState},
      {"time_discovered_started_ns", kStarted},
      {"time_discovered_completed_ns", kCompleted},
      {"retired", kRetired},
      {"is_p2p", kIsPeer},
      {"frames", kFrames}};
  field = kOther;
  for (const auto& [name, known] : kNames)
    if (tree_.TextOf(key) == name) field = known;
  return field;
}

uint32_t Document::GroupOf(Value pair) {
  const auto parts = tree_.List(pair);
  std::string name = Kept(parts.empty() ? tree_.TextOf(pair) : tree_.TextOf(parts[0]));
  std::string description = parts.size() > 1 ? Kept(tree_.TextOf(parts[1])) : "";
  // A group that was split off has its description in entries only.
  if (const auto bare = groups_.find(name + '\n'); bare != groups_.end() && !description.empty()) {
    dump_.groups[bare->second].description = description;
    groups_.try_emplace(name + '\n' + description, bare->second);
  }
  const auto [at, added] =
      groups_.try_emplace(name + '\n' + description, static_cast<uint32_t>(dump_.groups.size()));
  if (added) {
    dump_.groups.push_back({.name = std::move(name), .description = std::move(description)});
    peers_in_.push_back(false);
  }
  return at->second;
}

void Document::ReadConfig() {
  const auto config = tree_.Dict(tree_.Find(tree_.root, "pg_config"));
  for (size_t i = 0; i + 1 < config.size() && dump_.groups.size() < kMostGroups; i += 2) {
    const Value group = config[i + 1];
    std::string name = Kept(tree_.TextOf(tree_.Find(group, "name")));
    std::string description = Kept(tree_.TextOf(tree_.Find(group, "desc")));
    if (name.empty()) {  // gloo: the group made last, its ranks counted from 0
      const auto members = MembersOf(tree_, tree_.Find(group, "ranks"));
      dump_.least_ranks = static_cast<int64_t>(members.size());
      continue;
    }
    const auto key = name + '\n' + description;
    if (!groups_.try_emplace(key, static_cast<uint32_t>(dump_.groups.size())).second) continue;
    dump_.groups.push_back({.name = std::move(name),
                            .description = std::move(description),
                            .members = MembersOf(tree_, tree_.Find(group, "ranks"))});
    peers_in_.push_back(false);
  }
}

std::string Document::SizesOf(Value value, int64_t& count) {
  std::string text = "[";
  for (const Value tensor : tree_.List(value)) {
    int64_t elements = 1;
    if (text.size() < kMostText) text += text.size() > 1 ? ", [" : "[";
    bool first = true;
    for (const Value size : tree_.List(tensor)) {
      operation_.odd |= IntOf(size) < 0 || IntOf(size) > kMostSize;
      const int64_t of_it = std::max<int64_t>(IntOf(size), 0);
      if (__builtin_mul_overflow(elements, of_it, &elements)) elements = INT64_MAX;
      if (text.size() < kMostText) text += fmt::format("{}{}", first ? "" : ", ", of_it);
      first = false;
    }
    if (text.size() < kMostText) text += "]";
    count = AddSaturated(count, elements);
  }
  return text + "]";
}

// The first frame outside PyTorch, from the innermost.
std::string Document::LineOf(Value frames) const {
  std::string line;
  size_t looked = 0;
  for (const Value frame : tree_.List(frames)) {
    if (++looked > 256) break;
    std::string_view file = tree_.TextOf(tree_.Find(frame, "filename"));
    const bool inside = file.find("/torch/") != file.npos || file.empty() || file[0] == '<';
    if (inside && !line.empty()) continue;
    file.remove_prefix(std::min(file.size(), file.rfind('/') + 1));
    const int64_t number = IntOf(tree_.Find(frame, "line"));
    line = Kept(fmt::format("{}:{} ({})", file, number == kAbsent ? 0 : number,
                            tree_.TextOf(tree_.Find(frame, "name"))));
    if (!inside) return line;
  }
  return line;
}

void Document::TakeState(std::string_view state) {
  if (state == "started") operation_.state = DumpOperation::State::kStarted;
  if (state == "completed") operation_.state = DumpOperation::State::kCompleted;
  operation_.odd |= state != "started" && state != "completed" && state != "scheduled";
}

void Document::Take(Field field, Value value) {
  const int64_t number = IntOf(value);
  switch (field) {
    case kRecord:
      operation_.record = number == kAbsent ? dump_.recorded : number;
      break;
    case kGroup:
      has_group_ = dump_.groups.size() < kMostGroups;
      if (has_group_) operation_.group = GroupOf(value);
      break;
    case kGroupId:
      id_ = number;
      break;
    case kCollective:
      collective_ = number;
      break;
    case kPeer:
      peer_ = number;
      break;
    case kOperation: {
      OperationName name = ReadOperationName(Kept(tree_.TextOf(value)));
      if (dump_.backend.empty()) dump_.backend = std::move(name.backend);
      operation_.name = std::move(name.name);
      operation_.from = name.from;
      operation_.to = name.to;
      break;
    }
    case kCreated:
      operation_.created = number;
      break;
    case kInSizes:
      operation_.in_sizes = SizesOf(value, operation_.in_count);
      break;
    case kOutSizes:
      operation_.out_sizes = SizesOf(value, operation_.out_count);
      break;
    case kTypes:
      if (const auto types = tree_.List(value); !types.empty())
        operation_.types = Kept(tree_.TextOf(types[0]));
      break;
    case kState:
      TakeState(tree_.TextOf(value));
      break;
    case kStarted:  // JSON has 0 for no time
      if (number > 0 && operation_.state == DumpOperation::State::kScheduled)
        operation_.state = DumpOperation::State::kStarted;
      break;
    case kCompleted:
      if (number > 0) operation_.state = DumpOperation::State::kCompleted;
      break;
    case kRetired:
      retired_ = number == 1;
      break;
    case kIsPeer:
      operation_.point_to_point = number == 1;
      break;
    case kFrames:
      operation_.line = LineOf(value);
      break;
    default:
      break;
  }
}

void Document::ReadEntry(Value entry) {
  operation_ = {.record = dump_.recorded++};
  id_ = collective_ = peer_ = kAbsent;
  has_group_ = retired_ = false;
  const auto items = tree_.Dict(entry);
  for (size_t i = 0; i + 1 < items.size(); i += 2) Take(FieldOf(items[i]), items[i + 1]);
  dump_.newest = std::max(dump_.newest, operation_.created);
  if (operation_.created > 0 && (dump_.oldest == kAbsent || operation_.created < dump_.oldest))
    dump_.oldest = operation_.created;
  operation_.sequence = operation_.point_to_point ? peer_ : collective_;
  if (operation_.state != DumpOperation::State::kScheduled) dump_.sees_starts = true;
  operation_.pending = operation_.state != DumpOperation::State::kCompleted && !retired_;
  dump_.odd += operation_.odd;
  if (!has_group_ || operation_.sequence < 0 || (operation_.pending && ++pending_ > kMostPending)) {
    ++dump_.left_out;
    return;
  }
  if (id_ >= 0) group_of_id_.try_emplace(id_, operation_.group);
  if (operation_.point_to_point) peers_in_[operation_.group] = true;
  dump_.operations.push_back(std::move(operation_));
}

// Keeps the last finished operations of each group.
void Document::DropOldFinished() {
  std::vector<size_t> kept(dump_.groups.size());
  std::vector<DumpOperation> newest_first;
  for (auto& operation : dump_.operations | std::views::reverse) {
    if (!operation.pending && ++kept[operation.group] > kFinishedKept) continue;
    newest_first.push_back(std::move(operation));
  }
  std::ranges::reverse(newest_first);
  dump_.operations = std::move(newest_first);
}

// Ids count a process's groups, and names the job's, both in order of creation: where there are as
// many, they belong together. Takes them so only if the operations agree.
bool Document::JoinByOrder(const std::vector<int64_t>& ids) {
  if (ids.size() != dump_.groups.size()) return false;
  std::vector<std::pair<int64_t, uint32_t>> names;
  for (uint32_t i = 0; i < dump_.groups.size(); ++i)
    names.emplace_back(NumberIn(dump_.groups[i].name), i);
  std::ranges::sort(names);
  if (names.empty() || names.front().first < 0) return false;
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto known = group_of_id_.find(ids[i]);
    if (known != group_of_id_.end() && known->second != names[i].second) return false;
  }
  for (size_t i = 0; i < ids.size(); ++i) group_of_id_.try_emplace(ids[i], names[i].second);
  return true;
}

// Gloo's counters count sends and receives too, of which it leaves no entries. Its config has the
// group made last, without a name.
bool Document::CountsMessages() const { return IsHostBackend(dump_) || dump_.least_ranks > 0; }

void Document::JoinStatus() {
  const Value status = tree_.Find(tree_.root, "pg_status");
  const auto items = tree_.Dict(status);
  std::vector<int64_t> ids;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const int64_t id =
        items[i].kind == Kind::kInt ? items[i].bits : NumberIn(tree_.TextOf(items[i]));
    if (id >= 0) ids.push_back(id);
  }
  std::ranges::sort(ids);
  dump_.all_ranks = dump_.least_ranks > 0 && ids.size() == 1;
  JoinByOrder(ids);
  std::vector<bool> used(dump_.groups.size());
  for (const DumpOperation& operation : dump_.operations) used[operation.group] = true;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const int64_t id =
        items[i].kind == Kind::kInt ? items[i].bits : NumberIn(tree_.TextOf(items[i]));
    const auto at = group_of_id_.find(id);
    if (at == group_of_id_.end() || peers_in_[at->second]) continue;
    if (CountsMessages() && (used[at->second] || !dump_.whole)) continue;  // entries alone tell
    const int64_t counted = IntOf(tree_.Find(items[i + 1], "last_enqueued_collective"));
    dump_.groups[at->second].enqueued = CountsMessages() ? 0 : counted;
    if (!CountsMessages())
      dump_.groups[at->second].completed =
          IntOf(tree_.Find(items[i + 1], "last_completed_collective"));
  }
}

Result<RankDump> Document::Read() {
  const Value entries = tree_.Find(tree_.root, "entries");
  const Value version = tree_.Find(tree_.root, "version");
  const bool named =
      version.kind == Kind::kText && (tree_.Find(tree_.root, "pg_config").kind == Kind::kDict ||
                                      tree_.Find(tree_.root, "pg_status").kind == Kind::kDict);
  if (!named && entries.kind != Kind::kList) {
    return std::unexpected(Error{"the file is not a dump of PyTorch's Flight Recorder", "",
                                 "give what TORCH_FR_DUMP_TEMP_FILE names"});
  }
  dump_.version = Kept(tree_.TextOf(version));
  dump_.odd += UnknownKeys(tree_);
  ReadConfig();
  listed_ = dump_.groups.size();
  for (const Value entry : tree_.List(entries)) ReadEntry(entry);
  std::ranges::stable_sort(dump_.operations, {}, &DumpOperation::record);
  dump_.whole = !dump_.operations.empty() && dump_.operations.front().record == 0 &&
                dump_.operations.back().record == dump_.recorded - 1;
  MarkOdd(dump_, listed_);
  JoinStatus();
  CompareWithCounters(dump_);
  KeepCalls(dump_);
  DropOldFinished();
  return std::move(dump_);
}

}  // namespace

Result<RankDump> ReadFlightDocument(const ValueTree& tree) { return Document(tree).Read(); }

}  // namespace stepscope
