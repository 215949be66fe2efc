// Makes traces of the rows of partials.
#include "ingest/partial/partial_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/stop.h"
#include "ingest/parquet/parquet_reader.h"
#include "ingest/partial/partial_about.h"
#include "ingest/partial/partial_file.h"
#include "partials/partial_table.h"
#include "partials/step_names.h"
#include "trace/notes.h"
#include "trace/stream_wait_names.h"

namespace stepscope {
namespace {

// Of a stream or a wait, 19 hours: sums over 100,000 ranks must not overflow.
constexpr int64_t kMostTime = int64_t{1} << 46;

// The rows of a row group, by column.
class Rows {
 public:
  explicit Rows(const ParquetTable& table) : table_(table) {
    for (size_t c = 0; c < kPartialColumns; ++c) {
      const ParquetColumn* column = table.Find(kPartialInfos[c].name);
      const FlatType type = kPartialInfos[c].type;
      const bool fits = column != nullptr && (type == FlatType::kInt64    ? !column->ints.empty()
                                              : type == FlatType::kDouble ? !column->reals.empty()
                                                                          : !column->texts.empty());
      columns_[c] = fits ? column : nullptr;
    }
  }

  size_t size() const { return static_cast<size_t>(table_.rows); }
  std::optional<int64_t> Int(PartialColumn column, size_t row) const {
    const ParquetColumn* of = At(column, row);
    return of == nullptr ? std::nullopt : std::optional(of->ints[row]);
  }
  double Real(PartialColumn column, size_t row) const {
    const ParquetColumn* of = At(column, row);
    return of == nullptr ? 0 : of->reals[row];
  }
  // Empty: none.
  std::string_view Text(PartialColumn column, size_t row) const {
    const ParquetColumn* of = At(column, row);
    return of == nullptr ? std::string_view() : std::string_view(of->names[of->texts[row]]);
  }

 private:
  const ParquetColumn* At(PartialColumn column, size_t row) const {
    const ParquetColumn* of = columns_[static_cast<size_t>(column)];
    return of != nullptr && of->present[row] ? of : nullptr;
  }

  const ParquetTable& table_;
  std::array<const ParquetColumn*, kPartialColumns> columns_{};
};

std::optional<Kind> KindOf(std::string_view category) {
  if (category == "compute") return Kind::kCompute;
  if (category == "communication") return Kind::kCommunication;
  if (category == "memory") return Kind::kMemcpy;
  return std::nullopt;
}

// Whether parts, or roles, add up to the step.
bool AddUp(const auto& times, const CondensedStep& step) {
  int64_t left = step.end - step.start;
  for (const int64_t time : times) {
    if (time > left) return false;
    left -= time;
  }
  return left == 0;
}

// Leaves out those that contradict themselves; returns how many.
int64_t DropSteps(std::vector<CondensedStep>& steps) {
  std::ranges::stable_sort(steps, {}, &CondensedStep::start);
  return static_cast<int64_t>(std::erase_if(steps, [](const CondensedStep& step) {
    return !AddUp(step.parts, step) || !AddUp(step.roles, step);
  }));
}

class Reader {
 public:
  std::vector<Recording> Take() {
    Finish();
    return std::move(recordings_);
  }

  void Add(const Rows& rows) {
    for (size_t row = 0; row < rows.size(); ++row) {
      const std::string_view kind = rows.Text(PartialColumn::kKind, row);
      if (kind == "recording") {
        Begin(rows, row);
      } else if (recordings_.empty() || !AddRow(kind, rows, row)) {
        ++left_out_;
      }
    }
  }

 private:
  void Begin(const Rows& rows, size_t row) {
    Finish();
    Recording& recording = recordings_.emplace_back();
    condensed_ = std::make_shared<CondensedRecording>();
    tracks_.clear();
    if (const auto rank = rows.Int(PartialColumn::kRank, row); rank && *rank >= 0)
      recording.trace.meta.rank = rank;
    std::string process = TakeAbout(rows.Text(PartialColumn::kAbout, row), recording, *condensed_);
    if (process.empty()) process = "host";
    host_ = AddTrack({.process = std::move(process), .thread = "host"});
  }

  void Finish() {
    if (recordings_.empty()) return;
    Recording& last = recordings_.back();
    std::ranges::sort(condensed_->incomplete_steps);
    left_out_ += DropSteps(condensed_->steps);
    std::ranges::stable_sort(condensed_->streams, {}, [](const CondensedStream& stream) {
      return std::pair(stream.device, stream.stream);
    });
    last.trace.meta.condensed = condensed_;
    if (left_out_ > 0) {
      last.notes.push_back({.name = "unreadable_rows",
                            .count = std::exchange(left_out_, 0),
                            .message = "rows of a partial cannot be read: left out",
                            .where = ""});
    }
  }

  bool AddRow(std::string_view kind, const Rows& rows, size_t row) {
    if (kind == "step") return AddStep(rows, row);
    if (kind == "work") return AddWork(rows, row);
    if (kind == "kernel") return AddKernel(rows, row);
    if (kind == "stretch") return AddStretch(rows, row);
    if (kind == "part") return AddTime(rows, row, kPartialParts, &CondensedStep::parts);
    if (kind == "before") return AddBefore(rows, row);
    if (kind == "role") return AddTime(rows, row, kPartialRoles, &CondensedStep::roles);
    if (kind == "effort") return AddEffort(rows, row);
    if (kind == "stream") return AddStream(rows, row);
    if (kind == "gap") return AddStreamTime(rows, row);
    return kind == "wait" && AddWait(rows, row);
  }

  // Sets start and duration; false where they are no stretch of time.
  static bool TakeTimes(const Rows& rows, size_t row, Event& event) {
    const auto start = rows.Int(PartialColumn::kStart, row);
    const auto duration = rows.Int(PartialColumn::kDuration, row);
    if (!start || !duration || *duration < 0 || *start > INT64_MAX - *duration) return false;
    event.start = *start;
    event.duration = *duration;
    return true;
  }

  bool AddStep(const Rows& rows, size_t row) {
    const auto number = rows.Int(PartialColumn::kStep, row);
    Event event{.track = host_, .kind = Kind::kAnnotation};
    if (!number || *number < 0 || !TakeTimes(rows, row, event)) return false;
    event.name = trace().strings.Intern(fmt::format("step {}", *number));
    trace().Add(event);
    trace().Set(IntField::kStep, *number);
    if (rows.Int(PartialColumn::kIncomplete, row)) condensed_->incomplete_steps.push_back(*number);
    return true;
  }

  bool AddWork(const Rows& rows, size_t row) {
    const auto kind = KindOf(rows.Text(PartialColumn::kCategory, row));
    const auto device = rows.Int(PartialColumn::kDevice, row);
    const auto stream = rows.Int(PartialColumn::kStream, row);
    Event event;
    if (!kind || !device || !stream || !TakeTimes(rows, row, event)) return false;
    event.kind = *kind;
    event.track = TrackOf(*device, *stream);
    const std::string_view name = rows.Text(PartialColumn::kName, row);
    event.name = trace().strings.Intern(name.empty() ? KindName(*kind) : name);
    trace().Add(event);
    TakeInt(rows, row, PartialColumn::kStep, IntField::kStep);
    if (*kind == Kind::kCommunication) TakeCollective(rows, row);
    AddStreamWait(event, rows.Int(PartialColumn::kAfter, row), kStreamWait);
    AddStreamWait(event, rows.Int(PartialColumn::kAfterSome, row), kStreamWaitOfSome);
    return true;
  }

  // From the end of what the work waited for to its start.
  void AddStreamWait(const Event& work, std::optional<int64_t> after, std::string_view name) {
    if (!after || *after < 0 || work.start < INT64_MIN + *after) return;
    trace().Add({.start = work.start - *after,
                 .duration = *after,
                 .name = trace().strings.Intern(name),
                 .track = work.track,
                 .kind = Kind::kSync});
  }

  void TakeCollective(const Rows& rows, size_t row) {
    TakeText(rows, row, PartialColumn::kOperation, TextField::kCollective);
    TakeText(rows, row, PartialColumn::kGroupName, TextField::kGroupName);
    TakeText(rows, row, PartialColumn::kGroupDescription, TextField::kGroupDescription);
    TakeText(rows, row, PartialColumn::kGroupRanks, TextField::kGroupRanks);
    TakeText(rows, row, PartialColumn::kDataType, TextField::kDataType);
    TakeInt(rows, row, PartialColumn::kInElements, IntField::kInElements);
    TakeInt(rows, row, PartialColumn::kOutElements, IntField::kOutElements);
    TakeInt(rows, row, PartialColumn::kGroupSize, IntField::kGroupSize);
    TakeInt(rows, row, PartialColumn::kSequence, IntField::kCollectiveSequence);
    TakeInt(rows, row, PartialColumn::kMessageFrom, IntField::kMessageFrom);
    TakeInt(rows, row, PartialColumn::kMessageTo, IntField::kMessageTo);
    TakeInt(rows, row, PartialColumn::kDispatch, IntField::kDispatch);
  }

  void TakeText(const Rows& rows, size_t row, PartialColumn from, TextField to) {
    const std::string_view text = rows.Text(from, row);
    if (!text.empty()) trace().Set(to, trace().strings.Intern(text));
  }
  void TakeInt(const Rows& rows, size_t row, PartialColumn from, IntField to) {
    if (const auto number = rows.Int(from, row); number && *number >= 0) trace().Set(to, *number);
  }

  bool AddKernel(const Rows& rows, size_t row) {
    const auto kind = KindOf(rows.Text(PartialColumn::kCategory, row));
    const auto sum = rows.Int(PartialColumn::kDuration, row);
    const auto count = rows.Int(PartialColumn::kCount, row);
    const auto shortest = rows.Int(PartialColumn::kShortest, row);
    const auto longest = rows.Int(PartialColumn::kLongest, row);
    const bool whole = kind && sum && count && shortest && longest;
    if (!whole || *count <= 0 || *shortest < 0 || *longest < *shortest || *sum < *longest)
      return false;
    condensed_->kernels.push_back(
        {.device = rows.Int(PartialColumn::kDevice, row).value_or(-1),
         .kind = *kind,
         .name = trace().strings.Intern(rows.Text(PartialColumn::kName, row)),
         .count = *count,
         .sum = *sum,
         .min = *shortest,
         .max = *longest,
         .mean = rows.Real(PartialColumn::kMean, row),
         .squares = rows.Real(PartialColumn::kSquares, row)});
    return true;
  }

  bool AddStretch(const Rows& rows, size_t row) {
    const auto number = rows.Int(PartialColumn::kStep, row);
    Event times;
    if (!number || *number < 0 || !TakeTimes(rows, row, times)) return false;
    condensed_->steps.push_back(
        {.number = *number, .start = times.start, .end = times.start + times.duration});
    return true;
  }

  // Adds what a part or role of the last stretch took.
  bool AddTime(const Rows& rows, size_t row, const auto& names, auto CondensedStep::* times) {
    const auto* const at = std::ranges::find(names, rows.Text(PartialColumn::kName, row));
    const auto duration = rows.Int(PartialColumn::kDuration, row);
    if (at == names.end() || condensed_->steps.empty() || !duration || *duration < 0) return false;
    (condensed_->steps.back().*times)[static_cast<size_t>(at - names.begin())] = *duration;
    return true;
  }

  bool AddBefore(const Rows& rows, size_t row) {
    const auto* const at = std::ranges::find(kPartialParts, rows.Text(PartialColumn::kName, row));
    const auto duration = rows.Int(PartialColumn::kDuration, row);
    const bool fits =
        at != kPartialParts.end() && duration && *duration >= 0 && *duration <= kMostTime;
    if (fits) condensed_->before_steps[static_cast<size_t>(at - kPartialParts.begin())] = *duration;
    return fits;
  }

  bool AddEffort(const Rows& rows, size_t row) {
    const CondensedEffort effort{.device = rows.Int(PartialColumn::kDevice, row).value_or(-1),
                                 .step = rows.Int(PartialColumn::kStep, row).value_or(-1),
                                 .kernels = rows.Int(PartialColumn::kCount, row).value_or(0),
                                 .host_late = rows.Int(PartialColumn::kLate, row).value_or(0),
                                 .pauses = rows.Int(PartialColumn::kPauses, row).value_or(0),
                                 .input = rows.Int(PartialColumn::kInput, row).value_or(0)};
    if (effort.kernels < 0 || effort.host_late < 0 || effort.pauses < 0 || effort.input < 0)
      return false;
    condensed_->efforts.push_back(effort);
    return true;
  }

  bool AddStream(const Rows& rows, size_t row) {
    const auto device = rows.Int(PartialColumn::kDevice, row);
    const auto stream = rows.Int(PartialColumn::kStream, row);
    const auto events = rows.Int(PartialColumn::kCount, row);
    if (!device || !stream || !events || *events <= 0) return false;
    condensed_->streams.push_back({.device = *device, .stream = *stream, .events = *events});
    return true;
  }

  // Sets a time of the last stream.
  bool AddStreamTime(const Rows& rows, size_t row) {
    const auto* const at =
        std::ranges::find(kPartialStreamTimes, rows.Text(PartialColumn::kName, row),
                          &std::pair<std::string_view, int64_t CondensedStream::*>::first);
    const auto duration = rows.Int(PartialColumn::kDuration, row);
    const bool fits = at != kPartialStreamTimes.end() && !condensed_->streams.empty() && duration &&
                      *duration >= 0 && *duration <= kMostTime;
    if (fits) condensed_->streams.back().*(at->second) = *duration;
    return fits;
  }

  bool AddWait(const Rows& rows, size_t row) {
    const auto calls = rows.Int(PartialColumn::kCount, row);
    const auto time = rows.Int(PartialColumn::kDuration, row);
    const auto longest = rows.Int(PartialColumn::kLongest, row);
    const bool fits = calls && time && longest && *calls > 0 && *longest >= 0 &&
                      *time >= *longest && *time <= kMostTime;
    if (!fits) return false;
    const StringId call = NameOf(rows, row, PartialColumn::kName);
    if (call == kNoString) return false;
    condensed_->waits.push_back({.call = call,
                                 .calls = *calls,
                                 .time = *time,
                                 .longest = *longest,
                                 .op = NameOf(rows, row, PartialColumn::kOperator),
                                 .annotation = NameOf(rows, row, PartialColumn::kAnnotation)});
    return true;
  }

  StringId NameOf(const Rows& rows, size_t row, PartialColumn column) {
    const std::string_view text = rows.Text(column, row);
    return text.empty() ? kNoString : trace().strings.Intern(text);
  }

  Trace& trace() { return recordings_.back().trace; }

  TrackId AddTrack(Track track) {
    trace().tracks.push_back(std::move(track));
    return static_cast<TrackId>(trace().tracks.size() - 1);
  }
  TrackId TrackOf(int64_t device, int64_t stream) {
    const auto known = tracks_.find({device, stream});
    if (known != tracks_.end()) return known->second;
    const TrackId added = AddTrack({.is_stream = true, .device = device, .stream = stream});
    tracks_.emplace(std::pair(device, stream), added);
    return added;
  }

  std::vector<Recording> recordings_;
  std::shared_ptr<CondensedRecording> condensed_;  // of the last one
  std::map<std::pair<int64_t, int64_t>, TrackId> tracks_;
  TrackId host_ = 0;
  int64_t left_out_ = 0;
};

// A trace that could not be read when the partials were made.
Note Unread(const std::string& path) {
  return {.name = std::string(NoteName(NoteKind::kUnreadable)),
          .count = 1,
          .message = NoteMessage(NoteKind::kUnreadable),
          .where = path};
}

}  // namespace

bool LooksLikePartials(std::string_view beginning) { return beginning.starts_with(kParquetMagic); }

bool HoldsNoPartials(ByteSource source) {
  const auto file = ParquetFile::Open(std::move(source));
  if (!file) return false;
  const ParquetMetadata& metadata = file->metadata();
  return metadata.About(kPartialVersionKey) == nullptr ||
         (metadata.groups.empty() && metadata.About(kPartialUnreadKey) == nullptr);
}

Result<std::vector<Recording>> ReadPartials(ByteSource source) {
  auto file = OpenPartials(std::move(source));
  if (!file) return std::unexpected(file.error());
  return ReadRowsOfPartials(*file);
}

Result<std::vector<Recording>> ReadRowsOfPartials(ParquetFile& file) {
  std::vector<std::string_view> names;
  for (const FlatColumnInfo& info : kPartialInfos) names.push_back(info.name);
  Reader reader;
  for (size_t group = 0; group < file.metadata().groups.size(); ++group) {
    StopIfAsked();
    const auto table = file.Read(group, names);
    if (!table) return std::unexpected(table.error());
    reader.Add(Rows(*table));
  }
  std::vector<Recording> recordings = reader.Take();
  if (recordings.empty())
    return std::unexpected(
        Error{"the file holds no partial of a rank", "", "map the traces again"});
  if (const std::string* unread = file.metadata().About(kPartialUnreadKey)) {
    for (const std::string& path : PathsIn(*unread))
      recordings.front().notes.push_back(Unread(path));
  }
  return recordings;
}

}  // namespace stepscope
