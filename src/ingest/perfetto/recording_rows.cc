// Puts rows into their order and fills the columns of a trace.
#include "ingest/perfetto/recording_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "ingest/common/reader_limits.h"
#include "ingest/kineto/kineto_launch.h"
#include "ingest/kineto/kineto_tracks.h"

namespace stepscope::perfetto {
namespace {

constexpr size_t kMostRows = UINT32_MAX - 2;
constexpr uint32_t kInputTexts =
    1u << Index(TextField::kInputShapes) | 1u << Index(TextField::kInputTypes) |
    1u << Index(TextField::kInputStrides) | 1u << Index(TextField::kInputValues);

}  // namespace

uint32_t RecordingRows::Add(Row row, const EventArgs& from, StringTable& strings) {
  if (rows_.size() >= kMostRows || fields_.size() >= kMostRows) {
    trace.notes.Add(NoteKind::kUnreadableEvent);
    return kNoRow;
  }
  const Args& args = from.args;
  row.fields = static_cast<uint32_t>(fields_.size());
  row.on_stream =
      IsDeviceActivity(row.kind) || row.kind == Kind::kSync || row.kind == Kind::kGpuAnnotation;
  rows_.Append(row);
  using Type = RowField::Type;
  for (uint64_t set = args.ints_set; set != 0; set &= set - 1) {
    const auto field = static_cast<uint8_t>(std::countr_zero(set));
    fields_.Append({Type::kInt, field, kNoString, args.ints[field]});
  }
  const uint32_t texts = keep_.inputs ? args.texts_set : args.texts_set & ~kInputTexts;
  for (uint32_t set = texts; set != 0; set &= set - 1) {
    const auto field = static_cast<uint8_t>(std::countr_zero(set));
    const StringId known = from.ids[field];
    const StringId id = known != kNoString ? known : strings.Intern(args.texts[field]);
    fields_.Append({Type::kText, field, kNoString, id});
  }
  for (uint32_t set = args.reals_set; set != 0; set &= set - 1) {
    const auto field = static_cast<uint8_t>(std::countr_zero(set));
    fields_.Append({Type::kReal, field, kNoString, std::bit_cast<int64_t>(args.reals[field])});
  }
  if (keep_.kernels && args.launch_set != 0 && IsDeviceActivity(row.kind))
    fields_.Append({Type::kLaunch, 0, kNoString, configs_.Intern(LaunchConfigOf(args))});
  if (row.on_stream && from.device) fields_.Append({Type::kDevice, 0, kNoString, *from.device});
  if (row.on_stream && from.stream) fields_.Append({Type::kStream, 0, kNoString, *from.stream});
  if (row.kind == Kind::kCounterRange) {
    for (const auto& [key, value] : args.counters)
      fields_.Append({Type::kCounter, 0, strings.Intern(key), std::bit_cast<int64_t>(value)});
  }
  if (args.out_of_range > 0) trace.notes.Add(NoteKind::kValueOutOfRange, args.out_of_range);
  return static_cast<uint32_t>(rows_.size() - 1);
}

void RecordingRows::End(uint32_t number, int64_t time) {
  Row& row = rows_[number];
  if (time < row.start) trace.notes.Add(NoteKind::kNegativeDuration);
  row.duration = std::clamp<int64_t>(time - row.start, 0, kMaxTime);
}

// Places are numbers up to the count of events of the file: two or three rounds of a radix sort.
std::vector<uint32_t> RecordingRows::RowsInOrder() const {
  std::vector<uint32_t> rows(rows_.size());
  std::iota(rows.begin(), rows.end(), 0u);
  if (!ordered || std::ranges::is_sorted(rows_.view(), {}, &Row::order)) return rows;
  constexpr uint32_t kBits = 11, kBuckets = 1u << kBits;
  struct Placed {
    uint32_t order, row;
  };
  std::vector<Placed> placed, next(rows_.size());
  placed.reserve(rows_.size());
  uint32_t most = 0;
  for (const uint32_t row : rows) {
    placed.push_back({rows_[row].order, row});
    most = std::max(most, rows_[row].order);
  }
  for (uint32_t shift = 0; shift < 32 && most >> shift > 0; shift += kBits) {
    std::array<uint32_t, kBuckets + 1> begins{};
    const auto bucket = [&](Placed at) { return at.order >> shift & (kBuckets - 1); };
    for (const Placed at : placed) ++begins[bucket(at) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    for (const Placed at : placed) next[begins[bucket(at)]++] = at;
    placed.swap(next);
  }
  std::ranges::transform(placed, rows.begin(), &Placed::row);
  return rows;
}

// Fills one trace.
class RecordingRows::Maker {
 public:
  Maker(RecordingRows& from, const StringTable& strings, const TrackTable& tracks, int64_t shift)
      : from_(from),
        trace_(from.trace),
        strings_(strings),
        tracks_(tracks),
        shift_(shift),
        texts_(strings.size(), kNoString),
        threads_(tracks.all().size(), kNoTrack) {}

  void Make() {
    for (const uint32_t row : from_.RowsInOrder()) Add(row);
  }

 private:
  static constexpr TrackId kNoTrack = UINT32_MAX;

  void Add(uint32_t number) {
    const Row& row = from_.rows_[number];
    const size_t end = number + size_t{1} < from_.rows_.size() ? from_.rows_[number + 1].fields
                                                               : from_.fields_.size();
    const auto fields = from_.fields_.view().subspan(row.fields, end - row.fields);
    const TrackId track = row.on_stream ? StreamOf(row, fields) : ThreadOf(row.track);
    const int64_t start = std::clamp(row.start + shift_, -kMaxTime, kMaxTime);
    const StringId name = TextOf(row.name);
    trace_.Add({start, row.duration, name, track, row.kind});
    if (row.kind == Kind::kAnnotation) {
      if (const int64_t step = StepNumber(trace_.strings[name]); step >= 0)
        trace_.Set(IntField::kStep, step);
    }
    for (const RowField& field : fields) Set(field);
    if (row.kind != Kind::kCounterRange) return;
    for (const RowField& field : fields) {
      if (field.type != RowField::Type::kCounter) continue;
      trace_.Add({start, 0, TextOf(field.name), track, Kind::kCounter});
      trace_.Set(RealField::kCounterValue, std::bit_cast<double>(field.value));
    }
  }

  void Set(const RowField& field) {
    switch (field.type) {
      case RowField::Type::kInt:
        return trace_.Set(static_cast<IntField>(field.field), field.value);
      case RowField::Type::kText:
        return trace_.Set(static_cast<TextField>(field.field),
                          TextOf(static_cast<StringId>(field.value)));
      case RowField::Type::kReal:
        return trace_.Set(static_cast<RealField>(field.field), std::bit_cast<double>(field.value));
      case RowField::Type::kLaunch:
        return trace_.Set(IntField::kLaunchConfig, ConfigOf(static_cast<size_t>(field.value)));
      case RowField::Type::kDevice:
      case RowField::Type::kStream:
      case RowField::Type::kCounter:
        break;
    }
  }

  StringId TextOf(StringId id) {
    StringId& here = texts_[id];
    if (here == kNoString) here = trace_.strings.Intern(strings_[id]);
    return here;
  }

  int64_t ConfigOf(size_t config) {
    if (config >= configs_.size()) configs_.resize(from_.configs_.size(), -1);
    int64_t& here = configs_[config];
    if (here < 0) here = trace_.launch_configs.Intern(from_.configs_[config]);
    return here;
  }

  TrackId StreamOf(const Row& row, std::span<const RowField> fields) {
    std::optional<int64_t> device, stream;
    for (const RowField& field : fields) {
      if (field.type == RowField::Type::kDevice) device = field.value;
      if (field.type == RowField::Type::kStream) stream = field.value;
    }
    if (!device || !stream) {
      const NamedStream of_track = StreamOfTrack(row.track);
      if (!device) device = of_track.device;
      if (!stream) stream = of_track.stream;
    }
    const std::pair place(*device, *stream);
    if (!last_stream_ || *last_stream_ != place) {
      const auto [at, is_new] =
          streams_.try_emplace(place, static_cast<TrackId>(trace_.tracks.size()));
      if (is_new)
        trace_.tracks.push_back({.is_stream = true, .device = *device, .stream = *stream});
      last_stream_ = place;
      last_stream_track_ = at->second;
    }
    return last_stream_track_;
  }

  // The stream of a track whose events do not say it.
  NamedStream StreamOfTrack(TrackIndex track) {
    const auto [at, is_new] = track_streams_.try_emplace(track);
    if (!is_new) return at->second;
    const Place place = tracks_.PlaceOf(track);
    std::optional<NamedStream> named;
    if (!tracks_.all()[track].has_identity) {
      named = StreamOfName(place.track_name);
      if (!named) named = StreamOfName(place.thread_name);
    }
    return at->second =
               named.value_or(NamedStream{TrailingNumber(place.pid), TrailingNumber(place.tid)});
  }

  TrackId ThreadOf(TrackIndex index) {
    TrackId& known = threads_[index];
    if (known != kNoTrack) return known;
    const Place place = tracks_.PlaceOf(index);
    const auto [at, is_new] =
        places_.try_emplace({place.pid, place.tid}, static_cast<TrackId>(trace_.tracks.size()));
    if (is_new) {
      std::string name = place.process_name;
      if (!place.thread_name.empty()) name += (name.empty() ? "" : ": ") + place.thread_name;
      trace_.tracks.push_back({.process = place.pid, .thread = place.tid, .name = name});
    }
    return known = at->second;
  }

  RecordingRows& from_;
  Trace& trace_;
  const StringTable& strings_;
  const TrackTable& tracks_;
  int64_t shift_;
  std::vector<StringId> texts_;   // of the reader's, in the trace
  std::vector<int64_t> configs_;  // likewise
  std::vector<TrackId> threads_;  // by track index
  std::unordered_map<TrackIndex, NamedStream> track_streams_;
  std::map<std::pair<std::string, std::string>, TrackId> places_;
  std::map<std::pair<int64_t, int64_t>, TrackId> streams_;  // by device and stream
  std::optional<std::pair<int64_t, int64_t>> last_stream_;
  TrackId last_stream_track_ = 0;
};

Recording RecordingRows::Finish(const StringTable& strings, const TrackTable& tracks,
                                int64_t shift) {
  Maker(*this, strings, tracks, shift).Make();
  if (events_in_file) trace.events_in_file = *events_in_file;
  return {std::move(trace), notes.List()};
}

}  // namespace stepscope::perfetto
