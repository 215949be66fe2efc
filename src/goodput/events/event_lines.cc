// Writes the fields of entry.h as JSON.
#include "goodput/events/event_lines.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "goodput/events/entry.h"

namespace stepscope::goodput {
namespace {

// Quotes untrusted text; replaces invalid UTF-8.
std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string SpanText(const CheckpointTimes::Span& span) {
  std::string text = span.start == kUnknown ? "-" : fmt::format("{}", span.start);
  if (span.duration != kUnknown) text += fmt::format("+{}", span.duration);
  return text;
}

class Line {
 public:
  explicit Line(std::string& out) : out_(out) {}
  void Number(Field field, int64_t value) {
    if (value != kUnknown)
      fmt::format_to(std::back_inserter(out_), R"(, "{}": {})", FieldName(field), value);
  }
  void Text(Field field, const std::string& text) {
    if (!text.empty())
      fmt::format_to(std::back_inserter(out_), R"(, "{}": {})", FieldName(field), Quoted(text));
  }

 private:
  std::string& out_;
};

void AddCounts(const Event& event, Line& line, std::string& out) {
  switch (event.kind) {
    case EventKind::kElasticSlices:
      line.Number(Field::kActiveSlices, event.counts[0]);
      line.Number(Field::kTotalSlices, event.counts[1]);
      return line.Number(Field::kAvailableSlices, event.counts[2]);
    case EventKind::kResources:
      line.Number(Field::kRequested, event.counts[0]);
      line.Number(Field::kAllocated, event.counts[1]);
      return line.Number(Field::kHealthy, event.counts[2]);
    case EventKind::kActivity:
      line.Number(Field::kTokens, event.counts[0]);
      if (event.counts[1] == kUnknown) return;
      fmt::format_to(std::back_inserter(out), R"(, "flops": {}e9)", event.counts[1]);
      return;
    case EventKind::kDropped:
      return line.Number(Field::kDropped, event.counts[0]);
    case EventKind::kCheckpointSave:
    case EventKind::kCheckpointRestore:
    case EventKind::kCheckpointEmergencyRestore: {
      const CheckpointTimes& c = event.checkpoint;
      std::string spans = SpanText(c.manager);
      for (const auto& span : {c.checkpointer, c.wait_for_prev, c.get_old_steps, c.broadcast}) {
        spans += "," + SpanText(span);
      }
      return line.Text(Field::kSpansNs, spans);
    }
    default:
      return;
  }
}

}  // namespace

void AppendJsonLine(const Event& event, std::string& out) {
  Line line(out);
  fmt::format_to(std::back_inserter(out), R"({{"event": "{}")", EventKindName(event.kind));
  line.Number(Field::kTimeNs, event.time);
  line.Number(Field::kStep, event.step);
  line.Text(Field::kText, event.text);
  AddCounts(event, line, out);
  line.Text(Field::kJobName, event.job);
  line.Text(Field::kAttempt, event.attempt);
  line.Text(Field::kWriter, event.writer);
  line.Number(Field::kSequence, event.sequence);
  line.Number(Field::kMonotonicNs, event.monotonic);
  out += "}\n";
}

}  // namespace stepscope::goodput
