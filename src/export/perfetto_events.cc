// Reads the text of events as a trace is read, and keeps them in packets' form.
#include "export/perfetto_events.h"

#include <algorithm>
#include <functional>

#include "ingest/common/perfetto_fields.h"
#include "redact/text_stream.h"

namespace stepscope {
namespace {

// Which of the lines of a stream or thread an event is on: its activities, or what spans work.
std::string_view SuffixOf(Kind kind) {
  switch (kind) {
    case Kind::kGpuAnnotation:
      return " annotations";
    case Kind::kSync:
      return " synchronization";
    case Kind::kCounterRange:
      return " counter ranges";
    case Kind::kPython:
    case Kind::kPythonWait:
      return " Python";
    default:
      return "";
  }
}

bool OnStream(Kind kind) {
  return IsDeviceActivity(kind) || kind == Kind::kSync || kind == Kind::kGpuAnnotation;
}

// Numbers of arrows differ among recordings and categories.
uint64_t FlowNumber(std::string_view category, std::string_view id) {
  return std::hash<std::string>()(std::string(category) + '\0' + std::string(id)) | 1;
}

}  // namespace

RawEventObserver PerfettoEvents::Observer() {
  return {.member = [this](const ObservedMember& member) { TakeMember(member); },
          .event = [this](const ObservedEvent& event) { TakeEvent(event); }};
}

std::string PerfettoEvents::Redacted(std::string_view text) const {
  if (redactor_ == nullptr) return std::string(text);
  std::string out;
  const auto write = [&](std::string_view bytes) -> Result<void> {
    out += bytes;
    return {};
  };
  redact::TextStream stream(*redactor_, nullptr, write);
  const bool done = stream.Add(text) && stream.Finish();
  return done ? out : "{}";
}

void PerfettoEvents::TakeMember(const ObservedMember& member) {
  if (member.mended) ++mended;
  std::string text = std::string(member.key) + ": " + std::string(member.value);
  if (redactor_ != nullptr) {
    text = Redacted("{" + text + "}");
    text = text.substr(1, text.size() - 2);
  }
  if (!members.empty()) members += ",\n";
  members += text;
}

void PerfettoEvents::TakeEvent(const ObservedEvent& observed_event) {
  if (observed_event.has_time &&
      !kept_.Has(observed_event.kind, observed_event.start, observed_event.duration))
    return;
  ++observed;
  if (observed_event.mended) ++mended;
  const JsonEvent& event = redactor_ == nullptr ? fields_.Read(observed_event.text)
                                                : fields_.Read(Redacted(observed_event.text));
  if (event.phase == 'M') return TakeName(event);
  const uint32_t order = next_order_++;
  if (!observed_event.has_time) {
    ++left_out;
    return;
  }
  switch (event.phase) {
    case 'C':
      return TakeCounter(event, observed_event.start, order);
    case 's':
    case 't':
    case 'f':
      flows_.push_back({event.pid, event.tid, observed_event.start,
                        FlowNumber(event.category, event.id), event.phase == 's'});
      return;
    default:
      return TakeSlice(event, observed_event, order);
  }
}

void PerfettoEvents::TakeName(const JsonEvent& event) {
  if (event.name == "process_name")
    process_names[event.pid] = event.Arg("name");
  else if (event.name == "thread_name")
    thread_names[{event.pid, event.tid}] = event.Arg("name");
}

void PerfettoEvents::TakeCounter(const JsonEvent& event, int64_t time, uint32_t order) {
  bool later = false;
  for (const auto& [series, token] : event.args) {
    const auto value = NumberOf(token);
    if (!value) continue;
    const auto [at, is_new] =
        counter_of_.try_emplace({event.pid, event.tid, event.name, std::string(series)},
                                static_cast<uint32_t>(counters.size()));
    if (is_new) counters.push_back({event.pid, event.tid, event.name, std::string(series), later});
    events.push_back({.start = time,
                      .end = time,
                      .line = at->second,
                      .order = order,
                      .type = CollectedEvent::Type::kCount,
                      .value = *value});
    later = true;
  }
  if (!later) ++left_out;
}

uint32_t PerfettoEvents::LineOf(const JsonEvent& event, Kind kind) {
  const auto [at, is_new] = line_of_.try_emplace({event.pid, event.tid, SuffixOf(kind)},
                                                 static_cast<uint32_t>(lines.size()));
  if (!is_new) return at->second;
  PerfettoLine line{.pid = event.pid, .tid = event.tid, .suffix = SuffixOf(kind)};
  line.is_stream = OnStream(kind);
  line.device = event.Arg("device");
  line.stream = event.Arg("stream");
  if (line.device.empty()) line.device = event.pid;
  if (line.stream.empty()) line.stream = event.tid;
  lines.push_back(std::move(line));
  return at->second;
}

void PerfettoEvents::TakeSlice(const JsonEvent& event, const ObservedEvent& observed_event,
                               uint32_t order) {
  const bool moment = observed_event.kind == Kind::kInstant && event.phase != 'X';
  CollectedEvent collected{.start = observed_event.start,
                           .end = observed_event.start + observed_event.duration,
                           .line = LineOf(event, observed_event.kind),
                           .order = order,
                           .body = bodies.size()};
  if (moment) collected.type = CollectedEvent::Type::kMoment;
  EventFields::Write(event, packets_, bodies);
  collected.size = static_cast<uint32_t>(bodies.size() - collected.body);
  const bool activity = IsDeviceActivity(observed_event.kind);
  if (activity || observed_event.kind == Kind::kRuntime) {
    const std::string correlation = event.Arg("correlation");
    if (!correlation.empty()) {
      Launch& launch = launches_[correlation];
      (activity ? launch.activities : launch.calls).push_back(events.size());
    }
  }
  events.push_back(std::move(collected));
}

// A call and its activities share a correlation. An arrow's number is that of the activity.
void PerfettoEvents::TieLaunches() {
  for (const auto& [correlation, launch] : launches_) {
    if (launch.calls.empty()) continue;
    for (const size_t activity : launch.activities) {
      const uint64_t flow = uint64_t{events[activity].order} + 1;
      events[launch.calls.front()].from.push_back(flow);
      events[activity].to.push_back(flow);
    }
  }
}

// A flow is drawn at slices that begin where it does, as Kineto writes them; from a call to what it
// launched there is an arrow already.
void PerfettoEvents::TieFlows() {
  std::map<std::tuple<std::string_view, std::string_view, int64_t>, size_t> slices;
  if (flows_.empty()) return;
  for (size_t e = 0; e < events.size(); ++e) {
    if (events[e].type != CollectedEvent::Type::kSlice) continue;
    const PerfettoLine& line = lines[events[e].line];
    if (!line.suffix.empty() && line.is_stream) continue;
    slices.try_emplace({line.pid, line.tid, events[e].start}, e);
  }
  for (const FlowEnd& flow : flows_) {
    const auto slice = slices.find({flow.pid, flow.tid, flow.time});
    if (slice == slices.end()) {
      ++left_out;
      continue;
    }
    CollectedEvent& event = events[slice->second];
    const bool has_arrow = !event.from.empty() || !event.to.empty();
    if (!has_arrow || event.from.empty() == flow.begins)
      (flow.begins ? event.from : event.to).push_back(flow.flow);
  }
}

void PerfettoEvents::Finish() {
  TieLaunches();
  TieFlows();
  std::ranges::sort(events, {}, [](const CollectedEvent& e) {
    return std::tuple(e.type == CollectedEvent::Type::kCount, e.line, e.start, e.start - e.end,
                      e.order);
  });
}

}  // namespace stepscope
