// Writes the fields of entry.h as JSON.
#include "goodput/events/event_lines.h"

#include <fmt/format.h>

#include <utility>

#include "base/json_writer.h"
#include "goodput/events/entry.h"

namespace stepscope::goodput {
namespace {

std::string SpanText(const CheckpointTimes::Span& span) {
  std::string text = span.start == kUnknown ? "-" : fmt::format("{}", span.start);
  if (span.duration != kUnknown) text += fmt::format("+{}", span.duration);
  return text;
}

class Line {
 public:
  explicit Line(JsonWriter& json) : json_(json) {}
  void Number(Field field, int64_t value) {
    if (value != kUnknown) json_.Number(FieldName(field), value);
  }
  void Text(Field field, std::string_view text) {
    if (!text.empty()) json_.Text(FieldName(field), text);
  }

 private:
  JsonWriter& json_;
};

void AddCounts(const Event& event, Line& line, JsonWriter& json) {
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
      json.Key("flops");
      return json.Raw(fmt::format("{}e9", event.counts[1]));
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
  JsonWriter json(std::move(out));
  Line line(json);
  json.BeginObject(JsonWriter::Form::kOneLine);
  json.Text("event", EventKindName(event.kind));
  line.Number(Field::kTimeNs, event.time);
  line.Number(Field::kStep, event.step);
  line.Text(Field::kText, event.text);
  AddCounts(event, line, json);
  line.Text(Field::kJobName, event.job);
  line.Text(Field::kAttempt, event.attempt);
  line.Text(Field::kWriter, event.writer);
  line.Number(Field::kSequence, event.sequence);
  line.Number(Field::kMonotonicNs, event.monotonic);
  line.Number(Field::kReceivedNs, event.received);
  json.End();
  out = std::move(json).Take();
  out += '\n';
}

}  // namespace stepscope::goodput
