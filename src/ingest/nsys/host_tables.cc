// Makes events of NVTX's ranges and CUDA's calls.
#include "ingest/nsys/host_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/common/range_names.h"
#include "ingest/nsys/nsys_names.h"
#include "ingest/nsys/nsys_tables.h"
#include "ingest/nsys/payload.h"

namespace stepscope::nsys {
namespace {

// Types of NVTX_EVENTS: NVTX, and the same of its extension.
enum class RangeType : int64_t {
  kMark = 34,
  kPushPop = 59,
  kStartEnd = 60,
  kExtendedMark = 65,
  kExtendedPushPop = 70,
  kExtendedStartEnd = 71,
  kDomain = 75,
};

bool IsRange(RangeType type) {
  return type == RangeType::kPushPop || type == RangeType::kStartEnd ||
         type == RangeType::kExtendedPushPop || type == RangeType::kExtendedStartEnd;
}
bool IsMark(RangeType type) { return type == RangeType::kMark || type == RangeType::kExtendedMark; }

enum RangeColumn : size_t {
  kStart,
  kEnd,
  kType,
  kText,
  kTextId,
  kThread,
  kEndThread,
  kDomain,
  kJson,
  kJsonId,
  kBytes
};
constexpr auto kRangeColumns = std::to_array<std::string_view>(
    {"start", "end", "eventType", "text", "textId", "globalTid", "endGlobalTid", "domainId",
     "jsonText", "jsonTextId", "binaryData"});

// Around the number of a domain in a name, until all domains are known: they are registered
// anywhere among the ranges.
constexpr char kDomainBegin = '\x01';
constexpr char kDomainEnd = '\x02';

class RangeReader {
 public:
  RangeReader(const Source& source, NcclCalls& collectives)
      : source_(source), collectives_(collectives), schemas_(source.file) {}

  void Read() {
    Rows rows = source_.file.Read(kRanges, kRangeColumns);
    while (rows.Next()) {
      const auto thread = rows.Int(kThread);
      ProcessTrace* out = source_.processes.Of(thread);
      if (out == nullptr || !thread) continue;
      ++out->trace().events_in_file;
      const auto type = static_cast<RangeType>(rows.Int(kType).value_or(0));
      if (type == RangeType::kDomain) TakeDomain(rows, *out);
      if (IsRange(type) || IsMark(type)) TakeRange(rows, *thread, IsMark(type), *out);
    }
    if (rows.damaged()) source_.processes.NoteDamage();
    if (prefixed_) NameDomains();
  }

  // Ends the ranges without an end with the last event that was read.
  void EndOpenRanges() {
    for (Range& range : open_) {
      range.times.duration = std::max<int64_t>(range.out->latest - range.times.start, 0);
      range.out->notes.Add(ReportNote::kWithoutEnd);
      Put(range);
    }
  }

 private:
  struct Range {
    ProcessTrace* out = nullptr;
    ProcessTrace::Times times;
    Kind kind = Kind::kAnnotation;
    StringId name = 0;
    TrackId track = 0;
    std::optional<int64_t> sequence, step;
    StringId sizes = kNoString;
  };

  // Valid until the next row.
  std::string_view TextOf(const Rows& rows) {
    constexpr size_t kMostKept = 100'000;
    const std::string_view text = rows.Text(kText);
    const auto id = text.empty() ? rows.Int(kTextId) : std::nullopt;
    if (!id) return text;
    if (texts_.size() >= kMostKept && !texts_.contains(*id)) return last_ = source_.texts.Of(*id);
    const auto [at, is_new] = texts_.try_emplace(*id);
    if (is_new) at->second = source_.texts.Of(*id);
    return at->second;
  }

  void TakeDomain(const Rows& rows, ProcessTrace& out) {
    constexpr size_t kMostDomains = 10'000;
    if (const auto id = rows.Int(kDomain); id && domains_.size() < kMostDomains)
      domains_[{out.process(), *id}] = TextOf(rows);
  }

  void TakeRange(const Rows& rows, int64_t thread, bool mark, ProcessTrace& out) {
    const auto start = rows.Int(kStart), end = mark ? start : rows.Int(kEnd);
    const auto times = out.TimesOf(start, end ? end : start);
    if (!times) return;
    const std::string_view text = TextOf(rows);
    if (!mark && NcclCalls::IsCall(text)) TakeCall(rows, thread, text, *times);
    const auto torch = mark ? std::nullopt : TorchRangeOf(text);
    const bool operates = torch && torch->is_operator;
    Range range{.out = &out,
                .times = *times,
                .kind = mark       ? Kind::kInstant
                        : operates ? Kind::kOperator
                                   : Kind::kAnnotation};
    if (!source_.keep.Has(range.kind)) return;
    const std::string_view bare = torch ? torch->name : text;
    range.name = NameOf(bare, rows.Int(kDomain).value_or(0), out);
    range.track = TrackOf(rows, thread, out);
    if (torch) range.sequence = torch->sequence;
    if (operates && source_.keep.inputs && !torch->sizes.empty())
      range.sizes = out.Intern(torch->sizes);
    if (range.kind == Kind::kAnnotation) range.step = StepOfRange(bare);
    if (end)
      Put(range);
    else
      open_.push_back(range);
  }

  static void Put(const Range& range) {
    Trace& trace = range.out->trace();
    trace.Add({range.times.start, range.times.duration, range.name, range.track, range.kind});
    if (range.sequence) trace.Set(IntField::kSequence, *range.sequence);
    if (range.sizes != kNoString) trace.Set(TextField::kInputShapes, range.sizes);
    if (range.step) trace.Set(IntField::kStep, *range.step);
  }

  // Ranges that end on another thread do not nest in those of theirs.
  static TrackId TrackOf(const Rows& rows, int64_t thread, ProcessTrace& out) {
    const int64_t end = rows.Int(kEndThread).value_or(thread);
    return out.Thread(thread, end == 0 || end == thread ? "" : " (asynchronous ranges)");
  }

  StringId NameOf(std::string_view bare, int64_t domain, ProcessTrace& out) {
    if (domain == 0 || NcclCalls::IsCall(bare)) return out.Intern(bare);
    prefixed_ = true;
    return out.Intern(fmt::format("{}{}{}{}", kDomainBegin, domain, kDomainEnd, bare));
  }

  void NameDomains() {
    for (const auto& out : source_.processes.all()) {
      out->trace().strings.Rewrite([&](std::string_view name) {
        const size_t end = name.find(kDomainEnd);
        if (!name.starts_with(kDomainBegin) || end == name.npos) return std::string(name);
        int64_t id = 0;
        std::from_chars(name.data() + 1, name.data() + end, id);
        const auto domain = domains_.find({out->process(), id});
        const std::string bare(name.substr(end + 1));
        return domain == domains_.end() || domain->second.empty() ? bare
                                                                  : domain->second + ": " + bare;
      });
    }
  }

  void TakeCall(const Rows& rows, int64_t thread, std::string_view name,
                const ProcessTrace::Times& times) {
    Payload payload = schemas_.Of(rows.Text(kBytes));
    if (payload.empty()) {
      std::string_view json = rows.Text(kJson);
      const auto id = json.empty() ? rows.Int(kJsonId) : std::nullopt;
      payload = PayloadOfJson(id ? source_.texts.Of(*id) : json);
    }
    collectives_.AddCall(thread, name, times.start, times.start + times.duration, payload);
  }

  const Source& source_;
  NcclCalls& collectives_;
  PayloadSchemas schemas_;
  std::map<std::pair<int64_t, int64_t>, std::string> domains_;  // by process and number
  bool prefixed_ = false;
  std::unordered_map<int64_t, std::string> texts_;
  std::string last_;
  std::vector<Range> open_;
};

void ReadCalls(const Source& source, NcclCalls& collectives) {
  constexpr auto kColumns =
      std::to_array<std::string_view>({"start", "end", "globalTid", "correlationId", "nameId"});
  Rows rows = source.file.Read(kCalls, kColumns);
  std::unordered_map<int64_t, bool> launches;  // by name
  while (rows.Next()) {
    const auto thread = rows.Int(2);
    ProcessTrace* out = source.processes.Of(thread);
    if (out == nullptr || !thread) continue;
    ++out->trace().events_in_file;
    const int64_t name = rows.Int(4).value_or(-1), correlation = rows.Int(3).value_or(0);
    const auto times = out->TimesOf(rows.Int(0), rows.Int(1));
    if (!times) continue;
    const auto [launch, is_new] = launches.try_emplace(name, false);
    if (is_new)
      launch->second = RoleOfCall(WithoutVersion(source.texts.Of(name))) == CallRole::kLaunch;
    if (launch->second && correlation > 0)
      collectives.AddLaunch(*thread, times->start, correlation);
    if (!source.keep.Has(Kind::kRuntime)) continue;
    const StringId id = out->Named(source.texts, name, 1, WithoutVersion);
    out->trace().Add({times->start, times->duration, id, out->Thread(*thread), Kind::kRuntime});
    if (correlation > 0) out->trace().Set(IntField::kCorrelation, correlation);
  }
  if (rows.damaged()) source.processes.NoteDamage();
}

void ReadOverhead(const Source& source, std::string_view table) {
  constexpr auto kColumns =
      std::to_array<std::string_view>({"start", "end", "globalTid", "nameId"});
  Rows rows = source.file.Read(table, kColumns);
  while (rows.Next()) {
    const auto thread = rows.Int(2);
    ProcessTrace* out = source.processes.Of(thread);
    if (out == nullptr || !thread) continue;
    ++out->trace().events_in_file;
    const auto times = out->TimesOf(rows.Int(0), rows.Int(1));
    if (!times || !source.keep.Has(Kind::kOverhead)) continue;
    const StringId name = out->Named(source.texts, rows.Int(3).value_or(-1), 0,
                                     [](std::string_view text) { return text; });
    out->trace().Add({times->start, times->duration, name, out->Thread(*thread), Kind::kOverhead});
  }
  if (rows.damaged()) source.processes.NoteDamage();
}

}  // namespace

void ReadHostTables(const Source& source, NcclCalls& collectives) {
  RangeReader ranges(source, collectives);
  ranges.Read();
  ReadCalls(source, collectives);
  for (const std::string_view table : kOverheads) ReadOverhead(source, table);
  ranges.EndOpenRanges();
  collectives.Join();
}

void NameThreads(const Source& source) {
  constexpr auto kColumns = std::to_array<std::string_view>({"globalTid", "nameId"});
  Rows rows = source.file.Read("ThreadNames", kColumns);
  while (rows.Next()) {
    const auto thread = rows.Int(0), name = rows.Int(1);
    ProcessTrace* out = source.processes.Of(thread);
    if (out != nullptr && thread && name) out->NameThread(*thread, source.texts.Of(*name));
  }
}

}  // namespace stepscope::nsys
