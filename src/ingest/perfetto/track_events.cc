// Reads the fields of TrackEvents, decides what kinds of events they are, and joins beginnings and
// ends.
#include "ingest/perfetto/track_events.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "ingest/common/reader_limits.h"
#include "ingest/kineto/event_kind.h"
#include "ingest/kineto/kineto_members.h"

namespace stepscope::perfetto {
namespace {

constexpr size_t kMostAnnotations = 4096;  // of one event
// Keys of sequences are below.
constexpr uint64_t kKeyOfRank = uint64_t{1} << 40, kKeyOfRest = uint64_t{1} << 50;

// The rank of one of xpu_timer's tracks: "rank 3 compute", "rank 3 io", "rank 3 host".
std::optional<int64_t> RankOfTrack(std::string_view name) {
  constexpr std::string_view kBegin = "rank ";
  if (!name.starts_with(kBegin)) return std::nullopt;
  name.remove_prefix(kBegin.size());
  const size_t digits = name.find_first_not_of("0123456789");
  if (digits == 0 || digits == name.npos || digits > 9) return std::nullopt;
  const std::string_view rest = name.substr(digits);
  if (rest != " compute" && rest != " io" && rest != " host") return std::nullopt;
  return std::stoll(std::string(name.substr(0, digits)));
}

}  // namespace

struct TrackEvents::Event {
  uint32_t type = kNoType;
  TrackIndex track = 0;
  StringId name = kNoString;
  StringId category = kNoString;
  CategoryMeaning meaning;
  std::optional<double> count;
  std::optional<int64_t> time_us, delta_us;
  uint32_t phase = 0;  // of a legacy event
  int64_t duration_us = 0;
};

uint32_t TrackEvents::RecordingOf(uint64_t key) {
  constexpr size_t kMostRecordings = 20'000;  // of one file; those beyond are one
  const bool full = recordings.size() >= kMostRecordings && !by_key_.contains(key);
  const auto [at, is_new] =
      by_key_.try_emplace(full ? kKeyOfRest : key, static_cast<uint32_t>(recordings.size()));
  if (is_new)
    recordings.push_back(
        std::make_unique<RecordingRows>(keep_, !part_ || *part_ == recordings.size()));
  return at->second;
}

void TrackEvents::ReadLegacy(std::string_view message, const Interned& interned, Event& event) {
  ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(kLegacyNameIid): {
        const StringId* name = interned.names.Find(field.get_uint64());
        if (name != nullptr) event.name = *name;
        break;
      }
      case VarintField(kLegacyPhase):
        event.phase = field.get_uint32();
        break;
      case VarintField(kLegacyDurationUs):
        event.duration_us = field.get_int64();
        break;
      default:
        field.skip();
    }
  });
}

// Of several categories the first that is known says what the event is.
bool TrackEvents::Read(std::string_view message, const EventPlace& place, Event& event) {
  messages_.clear();
  flows_.clear();
  const Interned& interned = *place.interned;
  std::optional<uint64_t> uuid = place.default_track;
  const auto take_category = [&](StringId text, CategoryMeaning meaning) {
    if (event.category != kNoString && event.meaning.kind != Kind::kUnknown) return;
    event.category = text;
    event.meaning = meaning;
  };
  const bool whole = ReadFields(message, [&](pbf_reader& field) {
    switch (field.tag_and_type()) {
      case VarintField(kType):
        event.type = field.get_uint32();
        break;
      case VarintField(kTrackUuid):
        uuid = field.get_uint64();
        break;
      case VarintField(kNameIid): {
        const StringId* name = interned.names.Find(field.get_uint64());
        if (name != nullptr) event.name = *name;
        break;
      }
      case BytesField(kName):
        event.name = strings.Intern(field.get_view());
        break;
      case VarintField(kCategoryIid): {
        const Category* category = interned.categories.Find(field.get_uint64());
        if (category != nullptr) take_category(category->text, category->meaning);
        break;
      }
      case BytesField(kCategoryIid):
        for (const uint64_t iid : field.get_packed_uint64()) {
          const Category* category = interned.categories.Find(iid);
          if (category != nullptr) take_category(category->text, category->meaning);
        }
        break;
      case BytesField(kCategory): {
        const std::string_view text = field.get_view();
        take_category(strings.Intern(text), MeaningInPerfetto(text));
        break;
      }
      case BytesField(kAnnotation):
        if (messages_.size() < kMostAnnotations)
          messages_.push_back(field.get_view());
        else
          field.skip();
        break;
      case VarintField(kCounterValue):
        event.count = static_cast<double>(field.get_int64());
        break;
      case DoubleField(kDoubleCounter):
        event.count = field.get_double();
        break;
      case DoubleField(kFlow):
      case DoubleField(kTerminatingFlow):
        flows_.push_back(field.get_fixed64());
        break;
      case BytesField(kFlow):
      case BytesField(kTerminatingFlow):
        for (const uint64_t flow : field.get_packed_fixed64()) flows_.push_back(flow);
        break;
      case VarintField(kFlowOld):
      case VarintField(kTerminatingFlowOld):
        flows_.push_back(field.get_uint64());
        break;
      case BytesField(kLegacyEvent):
        ReadLegacy(field.get_view(), interned, event);
        break;
      case VarintField(kTimestampDeltaUs):
        event.delta_us = field.get_int64();
        break;
      case VarintField(kTimestampAbsoluteUs):
        event.time_us = field.get_int64();
        break;
      default:
        field.skip();
    }
  });
  event.track = tracks.Of(uuid.value_or(0));
  return whole;
}

// Of one file of xpu_timer each rank is a recording, and so is a sequence that says so; all others
// are one.
uint32_t TrackEvents::RecordingFor(PerfettoTrack& track, std::optional<uint32_t> of_sequence) {
  if (track.recording != UINT32_MAX) return track.recording;
  if (of_sequence) return track.recording = *of_sequence;
  const auto rank = RankOfTrack(track.thread_name);
  track.recording = RecordingOf(rank ? kKeyOfRank + static_cast<uint64_t>(*rank) : kKeyOfRest);
  if (rank && !recordings[track.recording]->rank) recordings[track.recording]->rank = *rank;
  return track.recording;
}

// Old writers count microseconds from what the thread's descriptor says.
static int64_t TimeOf(const EventPlace& place, std::optional<int64_t> absolute_us,
                      std::optional<int64_t> delta_us) {
  constexpr int64_t kMostUs = kMaxTime / 1000;
  const auto possible = [](int64_t us) { return us >= 0 && us < kMostUs; };
  if (absolute_us && possible(*absolute_us)) return *absolute_us * 1000;
  std::optional<int64_t>* reference = place.reference_us;
  if (!delta_us || reference == nullptr || !reference->has_value()) return place.time;
  if (!possible(*delta_us) || !possible(**reference)) return place.time;
  **reference += *delta_us;
  return **reference * 1000;
}

bool TrackEvents::TakeEvent(std::string_view message, const EventPlace& at) {
  Event event;
  const bool whole = Read(message, at, event);
  PerfettoTrack& track = tracks[event.track];
  EventPlace place = at;
  RecordingRows& into = *recordings[RecordingFor(track, at.recording)];
  place.time = TimeOf(at, event.time_us, event.delta_us);
  const bool timed = place.time <= kMaxTime && place.time >= -kMaxTime;
  if (!whole || !timed) into.trace.notes.Add(NoteKind::kUnreadableEvent);
  if (!whole || !timed) return false;
  if (track.later) return event.type != kEnd;
  if (event.type == kNoType && event.phase != 0) {
    constexpr std::pair<char, uint32_t> kPhases[] = {
        {'B', kBegin}, {'E', kEnd}, {'i', kInstant}, {'I', kInstant}, {'n', kInstant}};
    for (const auto& [phase, type] : kPhases) {
      if (event.phase == static_cast<uint32_t>(phase)) event.type = type;
    }
  }
  into.SawTime(place.time);
  if (event.type == kEnd) {
    track.marks.push_back({.time = place.time, .begins = false});
    return false;
  }
  if (event.type == kCounter) {
    Count(event, place, into);
  } else if (event.type == kNoType && event.phase == 'X') {
    Begin(event, place, into, std::clamp<int64_t>(event.duration_us, 0, kMaxTime / 1000) * 1000);
  } else if (event.type == kBegin || event.type == kInstant) {
    Begin(event, place, into, event.type == kBegin ? std::nullopt : std::optional<int64_t>(0));
  } else {
    ++into.trace.events_in_file;
    into.trace.notes.Add(NoteKind::kUnknownPhase);
  }
  return true;
}

void TrackEvents::TakeAnnotations(const Interned& interned, bool counters, bool foreign) {
  args_.Clear();
  args_.foreign = foreign;
  annotations_.Clear();
  for (const std::string_view message : messages_)
    annotations_.Take(message, interned, counters, args_);
}

Kind TrackEvents::KindOf(CategoryMeaning meaning, StringId name) {
  return DecideKind(
      meaning, args_.args.OfGroup(), [&] { return strings[name]; },
      [&] { return communication_.Has(name, strings); });
}

// PyTorch's first writers, and Kineto's, give no categories.
CategoryMeaning TrackEvents::InferMeaning(const Event& event) const {
  const Args& args = args_.args;
  const std::string_view name = strings[event.name];
  const auto has = [&](IntField field) { return (args.ints_set >> Index(field) & 1) != 0; };
  if (args_.has_sync_kind) return {Kind::kSync};
  if (args_.has_python_id) return {Kind::kPython, NameDecides::kWait};
  if (args.launch_set != 0 && args_.stream) return {Kind::kCompute, NameDecides::kCommunication};
  if (args_.stream && args_.device && has(IntField::kBytes))
    return {name.starts_with("Memset") ? Kind::kMemset : Kind::kMemcpy};
  if (args_.has_call_id || RoleOfCall(name) != CallRole::kOther) return {Kind::kRuntime};
  if (StepNumber(name) >= 0) return {Kind::kAnnotation};
  if (args_.stream && args_.device) return {Kind::kGpuAnnotation};
  const bool of_operator = has(IntField::kSequence) || has(IntField::kForwardThread) ||
                           args.Has(TextField::kInputShapes) || args.Has(TextField::kInputTypes);
  if (of_operator || name.starts_with("aten::") || name.starts_with("autograd::") ||
      name.starts_with("c10d::"))
    return {Kind::kOperator, NameDecides::kStep};
  return {Kind::kAnnotation};
}

// The counts and notes that a JSON trace gets of the same event.
void TrackEvents::CountEvent(Kind kind, std::string_view category, bool noted,
                             RecordingRows& into) {
  ++into.trace.events_in_file;
  if (kind == Kind::kPython || kind == Kind::kPythonWait) into.trace.meta.has_python = true;
  if (kind == Kind::kUnknown && noted)
    into.trace.notes.Add(NoteKind::kUnknownCategory, 1, category);
  if (IsDeviceActivity(kind)) ++into.trace.gpu_events_in_file;
}

// What joins a call and what it launched, where no argument does.
void TrackEvents::Correlate(const Event& event, Kind kind) {
  constexpr auto kField = Index(IntField::kCorrelation);
  Args& args = args_.args;
  const bool launched = kind == Kind::kRuntime || IsDeviceActivity(kind);
  if (!launched || flows_.empty() || (args.ints_set >> kField & 1) != 0) return;
  if (tracks[event.track].has_identity) return;
  args.ints[kField] = static_cast<int64_t>(flows_.front());
  args.ints_set |= uint64_t{1} << kField;
}

void TrackEvents::AddFlows(Row row, RecordingRows& into) {
  if (flows_.empty()) return;
  into.trace.events_in_file += static_cast<int64_t>(flows_.size());
  if (!into.Keeps(Kind::kFlow)) return;
  static const EventArgs kNone = [] {
    EventArgs none{};
    none.Clear();
    return none;
  }();
  row.kind = Kind::kFlow;
  row.duration = 0;
  for (const uint64_t flow : flows_) {
    if (into.Add(row, kNone, strings) == kNoRow) return;
    into.AddField(
        {RowField::Type::kInt, Index(IntField::kFlowId), kNoString, static_cast<int64_t>(flow)});
  }
}

// Kineto's own writer makes moments of what a JSON trace has as members beside its events.
void TrackEvents::TakeMetadata(const Event& event, const EventPlace& place, RecordingRows& into) {
  const bool devices = strings[event.name] == "device_properties";
  for (const std::string_view message : messages_) {
    const auto member = annotations_.Member(message, *place.interned);
    if (member)
      TakeMember(devices ? std::string_view("deviceProperties") : std::string_view(member->first),
                 member->second, into.trace.meta);
  }
}

// A slice begins, or, with a duration, is told as a whole; an instant is one of no duration.
void TrackEvents::Begin(const Event& event, const EventPlace& place, RecordingRows& into,
                        std::optional<int64_t> duration) {
  PerfettoTrack& track = tracks[event.track];
  const bool instant = event.type == kInstant;
  const auto mark = [&](uint32_t row) {
    if (!duration) track.marks.push_back({.time = place.time, .row = row, .begins = true});
  };
  const std::string_view category =
      event.category == kNoString ? std::string_view() : strings[event.category];
  if (!category.empty() && event.meaning.name_decides == NameDecides::kNothing &&
      !into.Keeps(event.meaning.kind)) {
    CountEvent(event.meaning.kind, category, true, into);
    return mark(kNoRow);
  }
  if (event.name == kNoString) {
    ++into.trace.events_in_file;
    into.trace.notes.Add(NoteKind::kUnreadableEvent);
    return mark(kNoRow);
  }
  if (instant && category.empty() &&
      (strings[event.name] == "trace_metadata" || strings[event.name] == "device_properties"))
    return TakeMetadata(event, place, into);
  const bool counters = event.meaning.kind == Kind::kCounterRange;
  TakeAnnotations(*place.interned, counters, !track.has_identity);
  Kind kind = Kind::kInstant;
  if (!instant) {
    CategoryMeaning meaning = event.meaning;
    if (category.empty() && !track.has_identity) {
      meaning = InferMeaning(event);
      into.notes.Add(ReportNote::kKindsInferred);
    }
    kind = KindOf(meaning, event.name);
    Correlate(event, kind);
  }
  CountEvent(kind, category, !instant, into);
  uint32_t number = kNoRow;
  if (into.Keeps(kind)) {
    const Row row{.start = place.time,
                  .duration = duration.value_or(0),
                  .name = event.name,
                  .track = event.track,
                  .order = place.order.value_or(0),
                  .kind = kind};
    number = into.Add(row, args_, strings);
    if (number != kNoRow) AddFlows(row, into);
  } else if (!flows_.empty()) {
    into.trace.events_in_file += static_cast<int64_t>(flows_.size());
  }
  mark(number);
}

void TrackEvents::Count(const Event& event, const EventPlace& place, RecordingRows& into) {
  PerfettoTrack& track = tracks[event.track];
  ++into.trace.events_in_file;
  if (!event.count) return into.trace.notes.Add(NoteKind::kUnreadableEvent);
  double value = *event.count * static_cast<double>(track.multiplier);
  if (track.incremental) value = track.level += value;
  if (!into.Keeps(Kind::kCounter)) return;
  StringId name = event.name;
  if (track.has_identity || name == kNoString)
    name = strings.Intern(track.has_identity ? track.counter : track.name);
  args_.Clear();
  const uint32_t row = into.Add({.start = place.time,
                                 .name = name,
                                 .track = event.track,
                                 .order = place.order.value_or(0),
                                 .kind = Kind::kCounter},
                                args_, strings);
  if (row == kNoRow) return;
  into.AddField({RowField::Type::kReal, Index(RealField::kCounterValue), kNoString,
                 std::bit_cast<int64_t>(value)});
}

// Slices of a track nest: an end is that of the innermost that is open. Marks stand in the order of
// time, or, where a writer first tells all beginnings and then all ends, in the same order in both.
void TrackEvents::JoinTrack(PerfettoTrack& track) {
  if (track.marks.empty() || track.recording == UINT32_MAX) return;
  RecordingRows& into = *recordings[track.recording];
  std::vector<Mark>& marks = track.marks;
  const auto end = [&](uint32_t row, int64_t time) {
    if (row != kNoRow) into.End(row, time);
  };
  if (!std::ranges::is_sorted(marks, {}, &Mark::time)) {
    std::vector<Mark> rest;
    for (size_t at = 0; at < marks.size();) {
      size_t ends = at;
      while (ends < marks.size() && marks[ends].begins) ++ends;
      size_t behind = ends;
      while (behind < marks.size() && !marks[behind].begins) ++behind;
      bool in_turn = ends - at == behind - ends;
      for (size_t i = 0; in_turn && i < ends - at; ++i)
        in_turn = marks[at + i].time <= marks[ends + i].time;
      for (size_t i = 0; in_turn && i < ends - at; ++i)
        end(marks[at + i].row, marks[ends + i].time);
      if (!in_turn)
        rest.insert(rest.end(), marks.begin() + static_cast<std::ptrdiff_t>(at),
                    marks.begin() + static_cast<std::ptrdiff_t>(behind));
      at = behind;
    }
    std::ranges::stable_sort(rest, {}, &Mark::time);
    marks = std::move(rest);
  }
  std::vector<uint32_t> open;
  for (const Mark& mark : marks) {
    if (mark.begins) {
      open.push_back(mark.row);
    } else if (open.empty()) {
      into.notes.Add(ReportNote::kEndAlone);
    } else {
      end(open.back(), mark.time);
      open.pop_back();
    }
  }
  for (const uint32_t row : open) {
    into.notes.Add(ReportNote::kWithoutEnd);
    end(row, into.last_time());
  }
  marks = {};
}

void TrackEvents::Finish() {
  for (TrackIndex track = 0; track < tracks.all().size(); ++track) JoinTrack(tracks[track]);
}

}  // namespace stepscope::perfetto
