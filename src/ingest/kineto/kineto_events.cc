// Parses the text of events into the columns of a trace.
#include "ingest/kineto/kineto_events.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/window_stream.h"
#include "ingest/common/reader_limits.h"
#include "ingest/json/json_index.h"
#include "ingest/json/json_text.h"
#include "ingest/json/strict_json.h"
#include "ingest/kineto/ascend_events.h"
#include "ingest/kineto/event_kind.h"
#include "ingest/kineto/kineto_launch.h"
#include "ingest/kineto/kineto_text.h"
#include "ingest/kineto/kineto_tracks.h"
#include "trace/communication_names.h"

namespace stepscope {
namespace {

constexpr int kMicrosecondsToNs = 3;

// How often a damaged event is searched for the beginnings of others, which costs an indexing each.
constexpr int kLookLimit = 100;

constexpr uint32_t kInputTexts =
    1u << Index(TextField::kInputShapes) | 1u << Index(TextField::kInputTypes) |
    1u << Index(TextField::kInputStrides) | 1u << Index(TextField::kInputValues);

// Restores the byte that the end of the text was marked at.
class BorrowedByte {
 public:
  BorrowedByte(char* place, char value) : place_(place), was_(*place) { *place = value; }
  ~BorrowedByte() { *place_ = was_; }
  BorrowedByte(const BorrowedByte&) = delete;
  BorrowedByte& operator=(const BorrowedByte&) = delete;

 private:
  char* place_;
  char was_;
};

}  // namespace

struct KinetoEvents::State {
  State(Trace& target, Wanted wanted, const RawEventObserver* raw_observer)
      : trace(target),
        keep(wanted),
        keep_texts(wanted.inputs ? ~0u : ~kInputTexts),
        observer(raw_observer),
        text(observer == nullptr ? wanted.kinds : KindSet::All()),
        tracks(target) {}

  bool IndexText(char* begin, char* end, Mend mend);
  bool ParseElement(JsonWalk& walk);
  char* LookForEvent(char* from, char* end);
  bool ParseEvent(JsonWalk& walk);
  bool ObserveEvent(JsonWalk& walk);
  void CountUnwanted();
  void Take();
  void TakeComplete(int64_t start);
  enum class Keep : uint8_t { kIfWanted, kAlways };
  void Add(Kind kind, int64_t start, int64_t duration, Keep which = Keep::kIfWanted);
  void TakeWithoutCategory(int64_t start, int64_t duration);
  void AddFields();
  Kind KindOfEvent();
  StringId InternToken(std::string_view token) {
    return trace.strings.Intern(TextOf(token, scratch));
  }

  Trace& trace;
  Wanted keep;
  uint32_t keep_texts;               // a bit for each TextField
  const RawEventObserver* observer;  // may be null
  ObservedEvent observed;            // the event at hand
  StrictJson strict;                 // of what is observed
  JsonIndex index;
  EventText text;
  const RawEvent& raw = text.raw;
  std::string scratch;
  std::string observed_name;  // if it is not as in the file
  int looks_left = kLookLimit;

  KinetoTracks tracks;
  int64_t without_category = 0;  // events whose process may tell what they are
  CommunicationNames communication;
};

KinetoEvents::KinetoEvents(Trace& trace, Wanted keep, const RawEventObserver* observer)
    : state_(std::make_unique<State>(trace, keep, observer)) {}
KinetoEvents::~KinetoEvents() = default;

// Takes the event at hand; false, and nothing taken, if it is cut short or no JSON.
bool KinetoEvents::State::ParseEvent(JsonWalk& walk) {
  JsonWalk own = walk;  // whose position can stay in a register
  const auto found = text.Read(own);
  walk = own;
  if (found == EventText::Found::kUnwanted) CountUnwanted();
  if (found == EventText::Found::kEvent) Take();
  return found != EventText::Found::kDamage;
}

bool KinetoEvents::State::ObserveEvent(JsonWalk& walk) {
  const JsonWalk start = walk;
  observed = {};
  if (!ParseEvent(walk)) return false;
  const StrictJson::Outcome outcome = strict.Check(start);
  if (outcome == StrictJson::Outcome::kNoJson) {
    trace.notes.Add(NoteKind::kMalformed);
    return true;
  }
  observed.text = strict.text();
  observed.mended = outcome == StrictJson::Outcome::kMended;
  observer->event(observed);
  return true;
}

void KinetoEvents::State::CountUnwanted() {
  ++trace.events_in_file;
  if (raw.meaning.kind == Kind::kPython) trace.meta.has_python = true;
  if (raw.meaning.kind == Kind::kUnknown) {
    trace.notes.Add(NoteKind::kUnknownCategory, 1, TextOf(raw.category, scratch));
  }
}

void KinetoEvents::State::Take() {
  const char phase = raw.phase.size() > 2 ? raw.phase[1] : '\0';
  ++trace.events_in_file;
  if (phase == 'M') return tracks.TakeName(raw);
  if (trace.size() >= kMostEvents) return trace.notes.Add(NoteKind::kUnreadableEvent);
  const auto start = ScaleDecimal(raw.ts, kMicrosecondsToNs);
  if (!start || *start > kMaxTime || *start < -kMaxTime) {
    return trace.notes.Add(NoteKind::kUnreadableEvent);
  }
  switch (phase) {
    case 'X':
      return TakeComplete(*start);
    case 'i':
    case 'I':
      return Add(Kind::kInstant, *start, 0);
    case 'C':
      return Add(Kind::kCounter, *start, 0);
    case 's':
    case 't':
    case 'f':
      return Add(Kind::kFlow, *start, 0, IsLaunchFlow(raw.name) ? Keep::kAlways : Keep::kIfWanted);
    default:
      trace.notes.Add(NoteKind::kUnknownPhase);
  }
}

void KinetoEvents::State::TakeComplete(int64_t start) {
  auto duration = ScaleDecimal(raw.dur, kMicrosecondsToNs);
  if (!duration || raw.name.empty()) return trace.notes.Add(NoteKind::kUnreadableEvent);
  if (*duration < 0) {
    trace.notes.Add(NoteKind::kNegativeDuration);
    duration = 0;
  }
  const Kind kind = KindOfEvent();
  if (raw.category.empty()) return TakeWithoutCategory(start, std::min(*duration, kMaxTime));
  if (kind == Kind::kUnknown) {
    trace.notes.Add(NoteKind::kUnknownCategory, 1, TextOf(raw.category, scratch));
  }
  if (kind == Kind::kPython) trace.meta.has_python = true;
  if (IsDeviceActivity(kind)) ++trace.gpu_events_in_file;
  Add(kind, start, std::min(*duration, kMaxTime));
}

// What it is, the name of its process may tell (ascend_events.h).
void KinetoEvents::State::TakeWithoutCategory(int64_t start, int64_t duration) {
  ++without_category;
  if (!IsAscendSum(TextOf(raw.name, scratch)))
    Add(Kind::kUnknown, start, duration, Keep::kAlways);
  else
    observed = {.has_time = true, .kind = Kind::kUnknown, .start = start, .duration = duration};
}

Kind KinetoEvents::State::KindOfEvent() {
  return DecideKind(
      raw.meaning, raw.args.OfGroup(), [&] { return TextOf(raw.name, scratch); },
      [&] { return communication.Has(InternToken(raw.name), trace.strings); });
}

void KinetoEvents::State::Add(Kind kind, int64_t start, int64_t duration, Keep which) {
  observed = {.has_time = true, .kind = kind, .start = start, .duration = duration};
  if (observer != nullptr && !raw.name.empty()) observed.name = TextOf(raw.name, observed_name);
  if (which == Keep::kIfWanted && !keep.Has(kind)) return;
  const bool on_stream =
      IsDeviceActivity(kind) || kind == Kind::kSync || kind == Kind::kGpuAnnotation;
  const TrackId track = on_stream ? tracks.Stream(raw) : tracks.Thread(raw);
  trace.Add({start, duration, InternToken(raw.name), track, kind});
  AddFields();
  if (kind == Kind::kAnnotation) {
    const int64_t step = StepNumber(trace.strings[trace.names().back()]);
    if (step >= 0) trace.Set(IntField::kStep, step);
  }
  if (keep.kernels && raw.args.launch_set != 0 && IsDeviceActivity(kind)) {
    trace.Set(IntField::kLaunchConfig, trace.launch_configs.Intern(LaunchConfigOf(raw.args)));
  }
  if (kind != Kind::kCounter && kind != Kind::kCounterRange) return;
  for (const auto& [key, value] : raw.args.counters) {
    const Kind counter = Kind::kCounter;
    if (kind != counter) trace.Add({start, 0, trace.strings.Intern(key), track, counter});
    trace.Set(RealField::kCounterValue, value);
    if (kind == counter) break;
  }
}

void KinetoEvents::State::AddFields() {
  const Args& args = raw.args;
  for (uint64_t set = args.ints_set; set != 0; set &= set - 1) {
    const auto field = static_cast<IntField>(std::countr_zero(set));
    trace.Set(field, args.ints[Index(field)]);
  }
  for (uint32_t set = args.texts_set & keep_texts; set != 0; set &= set - 1) {
    const auto field = static_cast<TextField>(std::countr_zero(set));
    trace.Set(field, InternToken(args.texts[Index(field)]));
  }
  for (uint32_t set = args.reals_set; set != 0; set &= set - 1) {
    const auto field = static_cast<RealField>(std::countr_zero(set));
    trace.Set(field, args.reals[Index(field)]);
  }
  const bool has_id = args.ints_set >> Index(IntField::kFlowId) & 1;
  if (const auto id = has_id ? std::nullopt : ScaleDecimal(raw.id, 0))
    trace.Set(IntField::kFlowId, *id);
  if (args.out_of_range > 0) trace.notes.Add(NoteKind::kValueOutOfRange, args.out_of_range);
}

bool KinetoEvents::State::IndexText(char* begin, char* end, Mend mend) {
  auto indexed = index.Index(begin, end);
  if (indexed == JsonIndex::Outcome::kInvalidText && mend == Mend::kYes) {
    trace.notes.Add(NoteKind::kInvalidText, ReplaceInvalid(begin, end));
    indexed = index.Index(begin, end);
  }
  return indexed == JsonIndex::Outcome::kIndexed;
}

// Reads an element of the array; false, and nothing taken, if it is cut short or no JSON.
bool KinetoEvents::State::ParseElement(JsonWalk& walk) {
  constexpr std::string_view kStray = "}:,";
  if (walk.Peek() == '{') return observer == nullptr ? ParseEvent(walk) : ObserveEvent(walk);
  if (kStray.contains(walk.Peek())) {
    trace.notes.Add(NoteKind::kMalformed);
    walk.Advance();
    return true;
  }
  if (!walk.Skip()) return false;
  trace.notes.Add(NoteKind::kUnreadableEvent);
  return true;
}

// Where the next event seems to begin, behind damage that may have turned what is a string and what
// is not inside out. Null if there is none, or the search was needed too often.
char* KinetoEvents::State::LookForEvent(char* from, char* end) {
  if (looks_left == 0) return nullptr;
  --looks_left;
  return NextEventByLooks(from, end);
}

KinetoEvents::Outcome KinetoEvents::Parse(char* begin, char* end, Mend mend) {
  State& s = *state_;
  const BorrowedByte mark(end, '\0');
  if (!s.IndexText(begin, end, mend)) return {Stop::kBroken, begin};
  JsonWalk walk(s.index);
  const auto here = [&] { return begin + (walk.At() - begin); };
  while (here() != end) {
    char* element = here();
    if (*element == ']') return {Stop::kEndOfArray, element + 1};
    const JsonWalk start = walk;
    if (s.ParseElement(walk)) {
      if (walk.Consume(',') || here() == end || *here() == ']') continue;
      s.trace.notes.Add(NoteKind::kMalformed);  // no comma between two elements
      if (*here() == '{') continue;
      if (char* next = s.LookForEvent(here(), end)) return {Stop::kDamaged, next};
      continue;
    }
    if (here() != end && walk.Peek() == '\0') {  // looks like the end, and is none
      if (mend == Mend::kNo) return {Stop::kBroken, element};
      s.trace.notes.Add(NoteKind::kInvalidText, std::count(here(), end, '\0'));
      std::replace(here(), end, '\0', '?');
      walk = start;
      continue;
    }
    walk = start;
    if (!walk.Skip()) return {Stop::kBroken, element};
    s.trace.notes.Add(NoteKind::kMalformed);
    // With a quote or bracket missing it seems to go on through events that are well.
    if (char* next = s.LookForEvent(element + 1, here())) return {Stop::kDamaged, next};
    walk.Consume(',');
  }
  return {Stop::kEndOfText, end};
}

// The next "{" that is followed by "ph", the key events begin with; null if there is none.
char* NextEventByLooks(char* from, char* end) {
  constexpr std::string_view kKey = "\"ph\"";
  std::string_view text(from, static_cast<size_t>(end - from));
  for (size_t key = text.find(kKey); key != text.npos; key = text.find(kKey, key + 1)) {
    size_t brace = key;
    while (brace > 0 && IsSpace(text[brace - 1])) --brace;
    if (brace > 0 && text[brace - 1] == '{') return from + brace - 1;
  }
  return nullptr;
}

bool KinetoEvents::Adopt(KinetoEvents& later, size_t threads) {
  State& s = *state_;
  Trace& theirs = later.state_->trace;
  if (s.trace.size() + theirs.size() >= kMostEvents) return false;
  s.trace.Append(theirs, s.tracks.Adopt(later.state_->tracks), threads);
  s.without_category += later.state_->without_category;
  return true;
}

void KinetoEvents::Finish() {
  State& s = *state_;
  s.tracks.Finish();
  if (s.trace.meta.recorded_by == RecordedBy::kAscend)
    SettleAscendEvents(s.trace, s.tracks.Names(), s.keep.kinds);
  else if (s.without_category > 0)
    s.trace.notes.Add(NoteKind::kUnknownCategory, s.without_category);
}

}  // namespace stepscope
