// Keys are read by ingest/partial; docs/formats/partials.md lists them.
#include "condense/about.h"

#include <optional>
#include <span>

#include "base/json_writer.h"
#include "facts/derived/job/compiled_code.h"
#include "facts/derived/job/job_purpose.h"
#include "facts/derived/steps/before_steps.h"
#include "facts/derived/steps/step_categories.h"
#include "partials/partial_source.h"

namespace stepscope {
namespace {

void WriteList(JsonWriter& json, std::string_view key, const auto& items, const auto& write) {
  json.Key(key);
  json.BeginArray(JsonWriter::Form::kCompact);
  for (const auto& item : items) write(item);
  json.End();
}

void WriteDevice(JsonWriter& json, const DeviceProperties& device) {
  json.BeginObject(JsonWriter::Form::kCompact);
  json.Number("device", device.device);
  json.Text("name", device.name);
  json.Number("memory_bytes", device.memory_bytes);
  json.Number("compute_major", device.compute_major);
  json.Number("compute_minor", device.compute_minor);
  json.Number("multiprocessors", device.multiprocessors);
  json.Number("threads_per_multiprocessor", device.threads_per_multiprocessor);
  const auto real = [&](std::string_view key, double value) {
    json.Key(key);
    json.Double(value);
  };
  real("clock_hz", device.clock_hz);
  real("memory_bandwidth", device.memory_bandwidth);
  real("peak_flops", device.peak_flops);
  json.End();
}

void WriteNote(JsonWriter& json, const Note& note) {
  json.BeginObject(JsonWriter::Form::kCompact);
  json.Text("name", note.name);
  json.Number("count", note.count);
  json.Text("message", note.message.str());
  json.Text("where", note.where);
  json.End();
}

void WriteFlag(JsonWriter& json, std::string_view key, bool value) {
  json.Key(key);
  json.Bool(value);
}

// As runs of ranks that are equally far apart: the first, how many, and how far. The groups of a
// large job are a few of these.
void WriteMembers(JsonWriter& json, std::span<const int64_t> members) {
  json.BeginArray(JsonWriter::Form::kCompact);
  while (!members.empty()) {
    const int64_t apart = members.size() > 1 ? members[1] - members[0] : 1;
    size_t count = 1;
    while (count < members.size() && members[count] - members[count - 1] == apart) ++count;
    json.BeginArray(JsonWriter::Form::kCompact);
    for (const int64_t number : {members[0], static_cast<int64_t>(count), apart}) json.Int(number);
    json.End();
    members = members.subspan(count);
  }
  json.End();
}

void WriteSteps(const Facts& facts, JsonWriter& json) {
  const std::vector<RankSteps>& steps = RankStepsOf(facts);
  const bool marked = !steps.empty() && !steps.front().whole_recording;
  WriteFlag(json, "steps_are_marked", marked);
  if (marked) json.Number("queued", QueuedBefore(steps.front()));
  const auto before = marked ? BeforeStepsOf(steps.front(), *facts.names) : std::nullopt;
  if (before) json.Number("recorded", before->recorded);
  json.Number("purpose", static_cast<int64_t>(PurposeOfJob(facts)));
  WriteFlag(json, "compiled", HasCompiledCode(facts));
}

}  // namespace

std::string AboutOf(const RecordingToCondense& recording, const Facts& facts, bool coarse) {
  const RankActivity& rank = *recording.rank;
  JsonWriter json;
  json.BeginObject(JsonWriter::Form::kCompact);
  json.Number("world_size", rank.world_size);
  json.Text("machine", rank.machine);
  if (!recording.process.empty()) json.Text("process", recording.process);
  json.Number("framework", static_cast<int64_t>(rank.framework));
  json.Number("recorded_by", static_cast<int64_t>(rank.recorded_by));
  json.Text("device_name", rank.device_name);
  WriteFlag(json, "on_host", rank.on_host);
  WriteFlag(json, "host_communicates", rank.host_communicates);
  WriteFlag(json, "has_python", rank.has_python);
  json.Number("events", recording.events);
  json.Number("gpu_events", recording.gpu_events);
  json.Number("launches", rank.launches.calls);
  json.Number("launches_without_kernel", rank.launches.without_kernel);
  json.Number("launches_captured", rank.launches.captured);
  WriteSteps(facts, json);
  WriteList(json, "groups", rank.group_members,
            [&](const std::vector<int64_t>& members) { WriteMembers(json, members); });
  WriteList(json, "group_descriptions", rank.group_descriptions,
            [&](const std::string& text) { json.String(text); });
  WriteList(json, "devices", rank.properties,
            [&](const DeviceProperties& device) { WriteDevice(json, device); });
  std::vector<Note> notes = recording.notes;
  // Of the trace: the file of the partial depends on shards.
  if (coarse)
    notes.push_back({"nearly_waited", 1,
                     "waiting for other ranks is not told to the ns: more ran beside communication "
                     "than a partial has room for",
                     recording.source.path});
  WriteList(json, "notes", notes, [&](const Note& note) { WriteNote(json, note); });
  if (!recording.source.path.empty()) {
    json.Key("source");
    PutSource(json, recording.source);
  }
  json.End();
  return std::move(json).Take();
}

}  // namespace stepscope
