// Events by simdjson's On-Demand parser.
//
// Speed comes from what is not done: an event whose category nobody asked for is left after its "cat"
// key; a value is taken as the raw token between two structural characters, so its end is known without
// a search; arguments are looked up by a perfect hash and only those with a use are converted.
#include "ingest/kineto_events.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/json_text.h"
#include "ingest/kineto_fields.h"
#include "ingest/window_stream.h"

namespace stepscope {
namespace {

namespace ondemand = simdjson::ondemand;
static_assert(Window::kPadding >= simdjson::SIMDJSON_PADDING);

constexpr int kMicrosecondsToNs = 3;

// Times beyond 73 years either way are no times; within, no sum or difference of two overflows.
constexpr int64_t kMaxTime = int64_t{1} << 61;

// An event as it stands in the text: JSON tokens, empty where the key is absent.
struct RawEvent {
  std::string_view phase, category, name, pid, tid, ts, dur, id;
  Args args;
};

// Whether the key at `at` is `key`; both end in a quote.
template <size_t N>
bool IsKey(const char* at, const char (&key)[N]) {
  return std::memcmp(at, key, N - 1) == 0;
}

std::string_view KeyAt(const char* at) {
  size_t length = 0;
  while (at[length] != '"') length += at[length] == '\\' ? 2 : 1;
  return {at, length};
}

// The whole text of a value, which for arrays is more than its first token.
std::string_view WholeText(std::string_view token, const char* end) {
  if (token.empty() || (token[0] != '[' && token[0] != '{')) return token;
  const char* stop = EndOfValue(token.data(), end);
  return stop == nullptr ? std::string_view{} : std::string_view(token.data(), stop);
}

void TakeArg(Args& args, ArgUse use, std::string_view token, const char* end) {
  using Type = ArgUse::Type;
  const uint32_t bit = 1u << use.field;
  switch (use.type) {
    case Type::kNone: break;
    case Type::kInt:
      if (const auto value = ScaleDecimal(token, 0)) {
        args.ints[use.field] = *value;
        args.ints_set |= bit;
      } else if (!token.starts_with("null")) {
        ++args.out_of_range;
      }
      break;
    case Type::kReal:
      if (const auto value = RealNumber(token)) {
        args.reals[use.field] = *value;
        args.reals_set |= bit;
      }
      break;
    case Type::kText:
      args.texts[use.field] = WholeText(token, end);
      args.texts_set |= bit;
      break;
    case Type::kDevice: args.device = token; break;
    case Type::kStream: args.stream = token; break;
    case Type::kName: args.name = token; break;
  }
}

// With `counters`, numbers of any name are collected too.
simdjson::error_code ReadArgs(ondemand::value value, const char* end, bool counters, Args& args) {
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) {
    return error == simdjson::INCORRECT_TYPE ? simdjson::SUCCESS : error;  // "args": null
  }
  for (auto entry : object) {
    ondemand::field field;
    if (const auto error = std::move(entry).get(field)) return error;
    const std::string_view key = KeyAt(field.key().raw());
    const ArgUse use = UseOfArg(key);
    if (use.type != ArgUse::Type::kNone) {
      TakeArg(args, use, field.value().raw_json_token(), end);
    } else if (counters) {
      const auto number = RealNumber(field.value().raw_json_token());
      if (number) args.counters.emplace_back(key, *number);
    }
  }
  return simdjson::SUCCESS;
}

// The last number in a token such as 7, "7" or "stream 7"; -1 if there is none.
int64_t TrailingNumber(std::string_view token) {
  if (const auto number = ScaleDecimal(token, 0)) return *number;
  const size_t last = token.find_last_of("0123456789");
  if (last == std::string_view::npos) return -1;
  const size_t before = token.find_last_not_of("0123456789", last);
  const size_t first = before == std::string_view::npos ? 0 : before + 1;
  return ScaleDecimal(token.substr(first, last + 1 - first), 0).value_or(-1);
}

// Restores the bytes a parser's delimiters were written over.
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
  State(Trace& target, KindSet wanted) : trace(target), keep(wanted) {}

  simdjson::error_code ParseEvent(ondemand::value value, const char* end);
  simdjson::error_code ParseField(ondemand::field& field, const char* end);
  void CountSkipped();
  void Take();
  void TakeMetadata();
  void TakeComplete(CategoryMeaning meaning);
  void Add(Kind kind, int64_t start, int64_t duration);
  void AddFields();
  CategoryMeaning Meaning(std::string_view token);
  Kind KindOfEvent(CategoryMeaning meaning);
  bool IsCommunication(StringId name);
  TrackId StreamTrack();
  TrackId ThreadTrack();
  StringId InternToken(std::string_view token) {
    return trace.strings.Intern(TextOf(token, scratch));
  }

  Trace& trace;
  KindSet keep;
  ondemand::parser parser;
  RawEvent raw;
  bool skipped = false;  // the event at hand was left at its category, and is not yet counted
  std::string scratch;

  StringTable categories;
  std::vector<CategoryMeaning> meanings;  // by id in `categories`
  std::vector<int8_t> communication;      // by id in trace.strings; -1: not looked at yet
  StringTable threads;                    // process and thread id, joined by a zero byte
  std::vector<TrackId> thread_tracks;     // by id in `threads`
  std::map<std::pair<int64_t, int64_t>, TrackId> stream_tracks;  // by device and stream
  std::map<std::string, std::string, std::less<>> process_names, thread_names;
};

KinetoEvents::KinetoEvents(Trace& trace, KindSet keep)
    : state_(std::make_unique<State>(trace, keep)) {}
KinetoEvents::~KinetoEvents() = default;

CategoryMeaning KinetoEvents::State::Meaning(std::string_view token) {
  const StringId id = categories.Intern(token);
  if (id == meanings.size()) meanings.push_back(MeaningOfCategory(TextOf(token, scratch)));
  return meanings[id];
}

simdjson::error_code KinetoEvents::State::ParseField(ondemand::field& field, const char* end) {
  const char* key = field.key().raw();
  std::string_view* token = nullptr;
  switch (key[0]) {
    case 'p': token = IsKey(key, "ph\"") ? &raw.phase : IsKey(key, "pid\"") ? &raw.pid : nullptr; break;
    case 't': token = IsKey(key, "ts\"") ? &raw.ts : IsKey(key, "tid\"") ? &raw.tid : nullptr; break;
    case 'n': token = IsKey(key, "name\"") ? &raw.name : nullptr; break;
    case 'd': token = IsKey(key, "dur\"") ? &raw.dur : nullptr; break;
    case 'i': token = IsKey(key, "id\"") ? &raw.id : nullptr; break;
    case 'c': token = IsKey(key, "cat\"") ? &raw.category : nullptr; break;
    case 'a':
      if (IsKey(key, "args\"")) {
        const bool counters = raw.phase.starts_with("\"C") ||
                              Meaning(raw.category).kind == Kind::kCounterRange;
        return ReadArgs(field.value(), end, counters, raw.args);
      }
      break;
    default: break;
  }
  if (token != nullptr) *token = field.value().raw_json_token();
  if (token == &raw.category) {
    const CategoryMeaning meaning = Meaning(raw.category);
    skipped = meaning.name_decides == NameDecides::kNothing && !keep.Has(meaning.kind);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code KinetoEvents::State::ParseEvent(ondemand::value value, const char* end) {
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) {
    if (error != simdjson::INCORRECT_TYPE) return error;
    trace.notes.Add(NoteKind::kUnreadableEvent);
    return simdjson::SUCCESS;
  }
  raw.phase = raw.category = raw.name = raw.pid = raw.tid = raw.ts = raw.dur = raw.id = {};
  raw.args.Clear();
  for (auto entry : object) {
    ondemand::field field;
    if (const auto error = std::move(entry).get(field)) return error;
    if (const auto error = ParseField(field, end)) return error;
    if (skipped) return simdjson::SUCCESS;  // the array's iterator passes over the rest
  }
  Take();
  return simdjson::SUCCESS;
}

void KinetoEvents::State::CountSkipped() {
  if (!std::exchange(skipped, false)) return;
  ++trace.events_in_file;
  if (Meaning(raw.category).kind == Kind::kUnknown) {
    trace.notes.Add(NoteKind::kUnknownCategory, 1, TextOf(raw.category, scratch));
  }
}

void KinetoEvents::State::Take() {
  const char phase = raw.phase.size() > 2 ? raw.phase[1] : '\0';
  if (phase == 'M') return TakeMetadata();
  ++trace.events_in_file;
  if (trace.size() >= UINT32_MAX - 1) return trace.notes.Add(NoteKind::kUnreadableEvent);
  const auto start = ScaleDecimal(raw.ts, kMicrosecondsToNs);
  if (!start || *start > kMaxTime || *start < -kMaxTime) {
    return trace.notes.Add(NoteKind::kUnreadableEvent);
  }
  switch (phase) {
    case 'X': return TakeComplete(Meaning(raw.category));
    case 'i':
    case 'I': return Add(Kind::kInstant, *start, 0);
    case 'C': return Add(Kind::kCounter, *start, 0);
    case 's':
    case 't':
    case 'f': return Add(Kind::kFlow, *start, 0);
    default: trace.notes.Add(NoteKind::kUnknownPhase);
  }
}

void KinetoEvents::State::TakeComplete(CategoryMeaning meaning) {
  const int64_t start = ScaleDecimal(raw.ts, kMicrosecondsToNs).value_or(0);
  auto duration = ScaleDecimal(raw.dur, kMicrosecondsToNs);
  if (!duration || raw.name.empty()) return trace.notes.Add(NoteKind::kUnreadableEvent);
  if (*duration < 0) {
    trace.notes.Add(NoteKind::kNegativeDuration);
    duration = 0;
  }
  const Kind kind = KindOfEvent(meaning);
  if (kind == Kind::kUnknown) {
    trace.notes.Add(NoteKind::kUnknownCategory, 1, TextOf(raw.category, scratch));
  }
  if (IsGpuWork(kind)) ++trace.gpu_events_in_file;
  Add(kind, start, std::min(*duration, kMaxTime));
}

Kind KinetoEvents::State::KindOfEvent(CategoryMeaning meaning) {
  switch (meaning.name_decides) {
    case NameDecides::kNothing: return meaning.kind;
    case NameDecides::kWork: return KindOfWorkName(TextOf(raw.name, scratch));
    case NameDecides::kStep:
      return StepNumber(TextOf(raw.name, scratch)) >= 0 ? Kind::kAnnotation : meaning.kind;
    case NameDecides::kCommunication: break;
  }
  const bool moves_data = raw.args.Has(TextField::kCollective) ||
                             IsCommunication(InternToken(raw.name));
  return moves_data ? Kind::kCommunication : meaning.kind;
}

bool KinetoEvents::State::IsCommunication(StringId name) {
  if (name >= communication.size()) communication.resize(name + size_t{1}, -1);
  int8_t& known = communication[name];
  if (known < 0) known = IsCommunicationName(trace.strings[name]) ? 1 : 0;
  return known == 1;
}

void KinetoEvents::State::Add(Kind kind, int64_t start, int64_t duration) {
  if (!keep.Has(kind)) return;
  const bool on_stream = IsGpuWork(kind) || kind == Kind::kSync || kind == Kind::kGpuAnnotation;
  const TrackId track = on_stream ? StreamTrack() : ThreadTrack();
  trace.Add({start, duration, InternToken(raw.name), track, kind});
  AddFields();
  for (const auto& [key, value] : raw.args.counters) {
    const Kind counter = Kind::kCounter;
    if (kind != counter) trace.Add({start, 0, trace.strings.Intern(key), track, counter});
    trace.Set(RealField::kCounterValue, value);
    if (kind == counter) break;
  }
}

void KinetoEvents::State::AddFields() {
  const Args& args = raw.args;
  for (uint32_t set = args.ints_set; set != 0; set &= set - 1) {
    const auto field = static_cast<IntField>(std::countr_zero(set));
    trace.Set(field, args.ints[Index(field)]);
  }
  for (uint32_t set = args.texts_set; set != 0; set &= set - 1) {
    const auto field = static_cast<TextField>(std::countr_zero(set));
    trace.Set(field, InternToken(args.texts[Index(field)]));
  }
  for (uint32_t set = args.reals_set; set != 0; set &= set - 1) {
    const auto field = static_cast<RealField>(std::countr_zero(set));
    trace.Set(field, args.reals[Index(field)]);
  }
  if (const auto id = ScaleDecimal(raw.id, 0)) trace.Set(IntField::kFlowId, *id);
  if (args.out_of_range > 0) trace.notes.Add(NoteKind::kValueOutOfRange, args.out_of_range);
}

TrackId KinetoEvents::State::StreamTrack() {
  const Args& args = raw.args;
  const int64_t device = TrailingNumber(args.device.empty() ? raw.pid : args.device);
  const int64_t stream = TrailingNumber(args.stream.empty() ? raw.tid : args.stream);
  const auto [at, is_new] =
      stream_tracks.try_emplace({device, stream}, static_cast<TrackId>(trace.tracks.size()));
  if (is_new) trace.tracks.push_back({.is_stream = true, .device = device, .stream = stream});
  return at->second;
}

TrackId KinetoEvents::State::ThreadTrack() {
  std::string key(TextOf(raw.pid, scratch));
  const size_t process_size = key.size();
  key += '\0';
  key += TextOf(raw.tid, scratch);
  const StringId id = threads.Intern(key);
  if (id == thread_tracks.size()) {
    thread_tracks.push_back(static_cast<TrackId>(trace.tracks.size()));
    trace.tracks.push_back(
        {.process = key.substr(0, process_size), .thread = key.substr(process_size + 1)});
  }
  return thread_tracks[id];
}

void KinetoEvents::State::TakeMetadata() {
  std::string key(TextOf(raw.pid, scratch));
  const std::string_view what = TextOf(raw.name, scratch);
  if (what == "process_name") {
    process_names[key] = TextOf(raw.args.name, scratch);
  } else if (what == "thread_name") {
    key += '\0';
    key += TextOf(raw.tid, scratch);
    thread_names[key] = TextOf(raw.args.name, scratch);
  }
}

KinetoEvents::Outcome KinetoEvents::Parse(char* begin, char* end) {
  State& s = *state_;
  const BorrowedByte open(begin - 1, '[');
  const BorrowedByte close(end, ']');
  const BorrowedByte after(end + 1, ' ');
  const size_t length = static_cast<size_t>(end - begin) + 2;
  const simdjson::padded_string_view text(begin - 1, length,
                                          length + simdjson::SIMDJSON_PADDING);
  ondemand::document document;
  auto error = s.parser.iterate(text).get(document);
  if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
    s.trace.notes.Add(NoteKind::kInvalidText, ReplaceInvalid(begin, end));
    error = s.parser.iterate(text).get(document);
  }
  ondemand::array array;
  if (error || document.get_array().get(array)) return {Stop::kBroken, begin};

  char* event = nullptr;  // the one taken last
  for (auto item : array) {
    ondemand::value value;
    if (std::move(item).get(value)) {
      // What comes after the last event is broken, or that event, if it was skipped without a look.
      if (event == nullptr) return {Stop::kBroken, begin};
      const char* behind = EndOfValue(event, end);
      if (behind != nullptr) s.CountSkipped();
      s.skipped = false;
      return {Stop::kBroken, behind == nullptr ? event : begin + (behind - begin)};
    }
    s.CountSkipped();
    event = begin + (value.raw_json_token().data() - begin);
    if (s.ParseEvent(value, end)) {
      s.skipped = false;
      return {Stop::kBroken, event};
    }
  }
  s.CountSkipped();
  const char* rest = nullptr;
  if (document.current_location().get(rest)) return {Stop::kEndOfText, end};
  return {Stop::kEndOfArray, begin + (rest - begin)};
}

void KinetoEvents::Finish() {
  State& s = *state_;
  for (Track& track : s.trace.tracks) {
    if (track.is_stream) continue;
    const auto thread = s.thread_names.find(track.process + '\0' + track.thread);
    const auto process = s.process_names.find(track.process);
    if (process != s.process_names.end()) track.name = process->second;
    if (thread == s.thread_names.end()) continue;
    if (!track.name.empty()) track.name += ": ";
    track.name += thread->second;
  }
}

}  // namespace stepscope
