// Checks entries as written, as exported, and damaged.
#include "goodput/events/json_lines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "goodput/events/entry.h"
#include "goodput/events/flat_json.h"

namespace stepscope::goodput::json_lines_test {
namespace {

struct Outcome {
  std::vector<Event> events;
  Notes note_counts;
};

Outcome Read(std::string_view text) {
  Outcome outcome;
  ByteSource source = ByteSource::FromMemory(text);
  ReadJsonLines(std::move(source), outcome.note_counts,
                [&](const Event& e) { outcome.events.push_back(e); });
  return outcome;
}

// "step_start 5@10.5 custom_begin eval@12": seconds behind 1780000000.
std::string Summary(const Outcome& outcome) {
  std::string text;
  for (const Event& e : outcome.events) {
    text += text.empty() ? "" : " ";
    text += EventKindName(e.kind);
    if (e.step != kUnknown) text += fmt::format(" {}", e.step);
    if (!e.text.empty()) text += " " + e.text;
    if (e.time == kUnknown) continue;
    text += fmt::format("@{}", static_cast<double>(e.time - 1'780'000'000'000'000'000) / 1e9);
  }
  return text;
}

TEST(JsonLines, ReadsTheLibrarysEntries) {
  EXPECT_EQ(Summary(Read(R"({"job_name": "j", "job_start_time": 1780000000.0}
{"job_name":"j","tpu_init_start_time":1780000001}
{"job_name": "j", "tpu_init_end_time": 1780000002.25}

{"job_name": "j", "step_count": 5, "step_start_time": 1780000010.5}
{"job_name": "j", "custom_badput_event_type": "eval", "custom_badput_event_start_time": 1780000012.0}
{"job_name": "j", "elastic_wait_event_type": "scale_up", "elastic_wait_end_time": 1780000013.0}
{"job_name": "j", "job_end_time": 1780000014.0})")),
            "job_start@0 accelerator_init_begin@1 accelerator_init_end@2.25 step_start 5@10.5 "
            "custom_begin eval@12 elastic_wait_end scale_up@13 job_end@14");
}

TEST(JsonLines, ReadsOrbaxEntries) {
  const Outcome outcome = Read(
      R"({"step": 7, "event_type": "save", "directory": "gs://b", "wait_for_prev_start_time": null,)"
      R"( "wait_for_prev_duration_secs": null, "checkpoint_manager_blocking_start_time": 1780000003.5,)"
      R"( "checkpoint_manager_blocking_duration_secs": 2.5})");
  ASSERT_EQ(outcome.events.size(), 1u);
  const Event& save = outcome.events.front();
  EXPECT_EQ(save.kind, EventKind::kCheckpointSave);
  EXPECT_EQ(save.step, 7);
  EXPECT_EQ(save.text, "gs://b");
  EXPECT_EQ(save.time, kUnknown);  // its first time is null
  EXPECT_EQ(save.checkpoint.manager.start, 1'780'000'003'500'000'000);
  EXPECT_EQ(save.checkpoint.manager.duration, 2'500'000'000);
  EXPECT_EQ(save.checkpoint.wait_for_prev.duration, kUnknown);
}

TEST(JsonLines, ReadsStepscopesOwnForm) {
  const Outcome outcome = Read(
      R"({"job_name": "j", "event": "checkpoint_commit", "time_ns": 1780000000123456789, "step": 40,)"
      R"( "attempt": "a1", "writer": "host0/0", "sequence": 12, "monotonic_ns": 77, "text": "gs://b"}
{"event": "resources", "time": 1780000001.5, "requested": 8, "allocated": 4, "healthy": 4}
{"event": "work", "time": 1780000002, "tokens": 1000, "flops": 3.9e19})");
  ASSERT_EQ(outcome.events.size(), 3u);
  const Event& commit = outcome.events[0];
  EXPECT_EQ(commit.kind, EventKind::kCheckpointCommit);
  EXPECT_EQ(commit.time, 1'780'000'000'123'456'789);
  EXPECT_EQ(commit.monotonic, 77);
  EXPECT_EQ(commit.attempt + commit.writer + commit.text, "a1host0/0gs://b");
  EXPECT_EQ(commit.sequence, 12);
  EXPECT_EQ(outcome.events[1].counts[1], 4);
  EXPECT_EQ(outcome.events[2].counts[1], 39'000'000'000);  // billions
}

// Exports are newest first, pretty or not; the library would have read them by time.
TEST(JsonLines, SortsCloudLoggingExports) {
  const std::string newest =
      R"({"insertId": "b", "jsonPayload": {"job_name": "j", "step_count": 1.0,
          "step_start_time": 1780000010.0}, "timestamp": "2026-05-28T20:26:50Z", "labels": {"a": "}"}})";
  const std::string oldest =
      R"({"insertId": "a", "timestamp": "2026-05-28T20:26:40.123456Z",
          "jsonPayload": {"job_name": "j", "job_start_time": 1780000000.0}})";
  const std::string expected = "job_start@0 step_start 1@10";
  EXPECT_EQ(Summary(Read("[" + newest + ",\n" + oldest + "]")), expected);
  EXPECT_EQ(Summary(Read("{\n" + newest.substr(1) + "\n" + oldest)), expected);
  std::string lines = newest + "\n" + oldest;
  std::erase(lines, '\n');
  lines.insert(lines.find("}{") + 1, "\n");
  EXPECT_EQ(Summary(Read(lines)), expected);
}

TEST(JsonLines, DamageLosesOnlyItsLine) {
  const Outcome outcome = Read(
      "{\"job_start_time\": 1780000000}\n"
      "{\"step_count\": 1, \"step_start_time\": 17800\n"  // cut
      "not json\n"
      "[1, 2]\n"
      "{\"job_name\": \"j\"}\n"  // says nothing
      "{\"step_count\": 1}\n"    // no time
      "{\"step_count\": 2, \"step_start_time\": 1e300}\n"
      "{\"step_start_time\": 1780000001}\n"  // no number
      "{\"event\": \"of a later version\", \"time\": 1780000001}\n"
      "{\"step_count\": 3, \"step_start_time\": 1780000003}\r\n"
      "{\"step_count\": 4, \"step_start_time\": 178000");  // the end of the file
  EXPECT_EQ(Summary(outcome), "job_start@0 step_start 3@3");
  EXPECT_EQ(outcome.note_counts.Count(NoteKind::kBadLine), 4);
  EXPECT_EQ(outcome.note_counts.Count(NoteKind::kOutOfRange), 1);
  EXPECT_EQ(outcome.note_counts.Count(NoteKind::kUnknownKind), 3);
  EXPECT_EQ(outcome.note_counts.Count(NoteKind::kNoEntry), 1);
}

TEST(JsonLines, DamageLosesOnlyItsObject) {
  const Outcome outcome = Read(
      "[{\"job_start_time\": 1780000000}, garbage here,\n"
      "{\"step_count\": 1, \"text\": \"never closed\n"
      "{\"step_count\": 2, \"step_start_time\": 1780000002},\n"
      "{\"step_count\": 3");
  EXPECT_EQ(Summary(outcome), "job_start@0 step_start 2@2");
  EXPECT_EQ(outcome.note_counts.Count(NoteKind::kBadLine), 3);
}

TEST(JsonLines, LinesOfAnyLength) {
  const std::string start = R"({"job_start_time": 1780000000, "note": ")";
  const std::string end = "\"}\n{\"job_end_time\": 1780000001}";
  EXPECT_EQ(Summary(Read(start + std::string(1'000'000, 'x') + end)), "job_start@0 job_end@1");
  std::string long_note;
  long_note.resize(9'000'000, 'x');
  const Outcome outcome = Read(start + long_note + end);
  EXPECT_EQ(Summary(outcome), "job_end@1");
  EXPECT_EQ(outcome.note_counts.Count(NoteKind::kLongLine), 1);
}

constexpr auto kValues = std::to_array<std::string_view>({
    "1",
    "-1",
    "0",
    "-0.5",
    "0.1",
    "1780000055.0000048",
    "1780000000.123",
    "123456789012345678",
    "1234567890123456789",
    "9223372036854775807",
    "-9223372036854775807",
    "9223372036854775808",
    "9999999999999999999.5",
    "12345678901234567890",
    "1234567890123456789.25",
    "0.30000000000000004",
    "9007199254740993.5",
    "1e5",
    "01",
    "1.",
    ".5",
    "-",
    "--1",
    "1.5.5",
    "null",
    "true",
    "nul",
    "\"text\"",
    "\"a\\n\"",
    "\"\xff\"",
    "\"\xc3\xa4\"",
    "{}",
    "[1]",
    "",
    "1 2",
    "+1",
    "NaN",
});

// The reader of flat objects says what simdjson says, or leaves it to it.
TEST(FlatJson, AgreesWithARealParser) {
  simdjson::dom::parser parser;
  FlatJson flat;
  Entry entry;
  int read = 0;
  for (const std::string_view value : kValues) {
    for (const std::string& text :
         {fmt::format("{{\"step\":{}}}", value), fmt::format(" {{ \"step\" : {} }} ", value),
          fmt::format("{{\"x\":1,\"step\":{},\"directory\":\"d\"}}", value)}) {
      const auto document = parser.parse(text);
      if (!flat.Read(text, entry)) continue;
      ++read;
      ASSERT_EQ(document.error(), simdjson::SUCCESS) << text;
      int64_t integer = 0;
      if (document["step"].get_int64().get(integer) == simdjson::SUCCESS) {
        EXPECT_EQ(entry.Integer(Field::kStep), integer) << text;
      }
      double number = 0;
      if (document["step"].get_double().get(number) == simdjson::SUCCESS) {
        ASSERT_TRUE(entry.HasNumber(Field::kStep)) << text;
        EXPECT_EQ(entry.Number(Field::kStep), number) << text;
      } else {
        EXPECT_FALSE(entry.HasNumber(Field::kStep)) << text;
      }
    }
  }
  EXPECT_EQ(read, 3 * 17);
}

}  // namespace
}  // namespace stepscope::goodput::json_lines_test
