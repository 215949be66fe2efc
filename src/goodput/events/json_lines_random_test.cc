// Checks that a line's events and notes depend neither on the lines before it nor on the number of
// threads: the reader guesses from the line before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "goodput/events/json_lines.h"
#include "tests/scratch.h"

namespace stepscope::goodput::json_lines_random_test {
namespace {

struct Outcome {
  std::vector<Event> events;
  std::vector<int64_t> odd = std::vector<int64_t>(static_cast<size_t>(NoteKind::kCount));
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

void Read(std::string_view text, Outcome& outcome) {
  Notes note_counts;
  ReadJsonLines(ByteSource::FromMemory(text), note_counts,
                [&](const Event& e) { outcome.events.push_back(e); });
  for (size_t k = 0; k < outcome.odd.size(); ++k) {
    outcome.odd[k] += note_counts.Count(static_cast<NoteKind>(k));
  }
}

Outcome ReadWhole(const std::vector<std::string>& lines, std::string_view last_end = "\n") {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  Outcome outcome;
  Read(text.append(last_end), outcome);
  return outcome;
}

Outcome ReadEachAlone(const std::vector<std::string>& lines) {
  Outcome outcome;
  for (const std::string& line : lines) Read(line, outcome);
  return outcome;
}

class Lines {
 public:
  explicit Lines(uint64_t seed) : random_(seed) {}

  std::vector<std::string> Make(size_t count) {
    std::vector<std::string> lines;
    std::vector<std::string> in_turn{Form(), Form()};
    while (lines.size() < count) {
      if (Chance(15)) in_turn.assign(1 + random_() % 5, "");
      std::string& form = in_turn[lines.size() % in_turn.size()];
      if (form.empty() || Chance(30)) form = Form();
      std::string line;
      for (const char c : form) line += c == '#' ? Number() : c == '@' ? Time() : std::string(1, c);
      if (Chance(15)) Damage(line);
      if (Chance(400)) line.insert(line.size() / 2, std::string(random_() % 300'000, ' '));
      // These would say that the whole text is of another form.
      if (!line.starts_with('[') && line != "{") lines.push_back(line);
    }
    return lines;
  }

 private:
  bool Chance(uint64_t of) { return random_() % of == 0; }

  std::string_view One(std::initializer_list<std::string_view> of) {
    return of.begin()[random_() % of.size()];
  }

  std::string Form() {
    return std::string(One({
        R"({"job_name": "bench", "step_count": #, "step_start_time": @})",
        R"({"job_name":"bench","step_count":#,"step_start_time":@})",
        R"({"job_name": "other", "step_count": #, "step_start_time": @, "time_ns": #})",
        R"({"event": "step_start", "time_ns": #, "step": #, "job_name": "j", "writer": "w", "sequence": #, "monotonic_ns": #})",
        R"({"event": "work", "time": @, "tokens": #, "flops": #})",
        R"({"event": "resources", "time": @, "requested": #, "allocated": #, "healthy": #})",
        R"({"event": "checkpoint_save", "time": @, "step": #, "spans_ns": "5+6,-,-,-,-"})",
        R"({"event": "no such", "time": @, "sequence": #})",
        R"({"step": #, "event_type": "save", "directory": "d", "wait_for_prev_start_time": null, "checkpoint_manager_blocking_start_time": @, "checkpoint_manager_blocking_duration_secs": #})",
        R"({"step": #, "event_type": "restore", "checkpointer_start_time": @, "checkpointer_duration_secs": #})",
        R"({"active_slices": #, "total_slices": #, "available_slices": #, "elastic_slice_counts_timestamp": @})",
        R"({"custom_badput_event_type": "eval", "custom_badput_event_start_time": @})",
        R"({"step_count": #, "step_count": #, "step_start_time": @})",
        R"({"unknown": #, "step_start_time": @, "step_count": #, "list": [1, {"a": #}]})",
        R"({"unknown": #, "other": #})",
        R"( {"job_end_time": @} )",
        "{\"job_start_time\": @}\r",
        R"({})",
        "",
    }));
  }

  std::string Number() {
    switch (random_() % 24) {
      case 0:
        return std::string(One({"-0",
                                "01",
                                "-",
                                "",
                                "1.",
                                ".5",
                                "1e5",
                                "-1.5E-3",
                                "null",
                                "true",
                                "\"5\"",
                                "1 2",
                                "9223372036854775807",
                                "9223372036854775808",
                                "-9223372036854775808",
                                "99999999999999999999",
                                "1e300",
                                "4.6e18",
                                "123456789012345678",
                                "1234567890123456789"}));
      case 1:
        return fmt::format("-{}", random_() % 1000);
      case 2:
        return fmt::format("{}", random_());
      case 3:
        return fmt::format("{}.{}", random_() % 1000, random_());
      default:
        return fmt::format("{}", random_() % 10'000'000);
    }
  }

  std::string Time() {
    if (Chance(10)) return Number();
    return fmt::format("{}", 1.78e9 + static_cast<double>(random_() % 1'000'000'000) / 1e5);
  }

  void Damage(std::string& line) {
    if (line.empty()) return;
    const size_t at = random_() % line.size();
    switch (random_() % 4) {
      case 0:
        line.resize(at);
        break;
      case 1:
        line.erase(at, 1);
        break;
      case 2:
        line[at] = One({"0", "\"", "}", "\\", "\xff", "\t", ",", "."})[0];
        break;
      default:
        line.insert(at, 1, One({"0", "\"", "}", "{", "\\", " ", "\r", "-"})[0]);
        break;
    }
  }

  std::mt19937_64 random_;
};

TEST(JsonLinesRandom, EarlierLinesDoNotMatter) {
  for (const uint64_t seed : {1u, 2u, 3u}) {
    const std::vector<std::string> lines = Lines(seed).Make(6000);
    const Outcome whole = ReadWhole(lines);
    EXPECT_GT(whole.events.size(), 3000u);
    EXPECT_TRUE(whole == ReadEachAlone(lines)) << seed;
  }
}

TEST(JsonLinesRandom, ThreadsDoNotMatter) {
  const testing::ScratchFolder scratch;
  const std::vector<std::string> lines = Lines(4).Make(40'000);
  const Outcome expected = ReadWhole(lines, "");
  const std::string path = scratch.Write("log.jsonl", fmt::format("{}", fmt::join(lines, "\n")));
  for (const size_t alone : {size_t{0}, size_t{1000}, EventRelay::kNever}) {
    Outcome outcome;
    std::vector<Note> notes;
    const auto file = ReadEventsFile(
        path, notes,
        [&](const Event& e, Notes& note_counts) {
          outcome.events.push_back(e);
          if (outcome.events.size() == 5) note_counts.Add(NoteKind::kOtherJob);
        },
        {}, alone);
    ASSERT_TRUE(file);
    EXPECT_EQ(static_cast<size_t>(file->events), expected.events.size());
    EXPECT_TRUE(outcome.events == expected.events) << alone;
    Notes note_counts;
    for (size_t k = 0; k < expected.odd.size(); ++k) {
      note_counts.Add(static_cast<NoteKind>(k), expected.odd[k]);
    }
    note_counts.Add(NoteKind::kOtherJob);
    const std::vector<Note> said = note_counts.List(path);
    EXPECT_TRUE(std::ranges::equal(notes, said, {}, &Note::name, &Note::name));
    EXPECT_TRUE(std::ranges::equal(notes, said, {}, &Note::count, &Note::count));
  }
}

TEST(JsonLinesRandom, SmallFilesEqualOneLarge) {
  const testing::ScratchFolder scratch;
  const std::vector<std::string> lines = Lines(5).Make(3000);
  Outcome outcome;
  std::vector<Note> notes;
  for (size_t begin = 0; begin < lines.size(); begin += 10) {
    const auto some = std::span(lines).subspan(begin, 10);
    const std::string path = scratch.Write("log.jsonl", fmt::format("{}", fmt::join(some, "\n")));
    const auto file =
        ReadEventsFile(path, notes, [&](const Event& e, Notes&) { outcome.events.push_back(e); });
    ASSERT_TRUE(file);
  }
  EXPECT_TRUE(outcome.events == ReadWhole(lines).events);
}

// In an array as in lines.
TEST(JsonLinesRandom, ObjectsAcrossLinesEqualLines) {
  std::vector<std::string> lines;
  for (int step = 0; step < 5000; ++step) {
    lines.push_back(fmt::format(R"({{"job_name": "j", "step_count": {}, "step_start_time": {}}})",
                                step % 70, 1780000000.25 + step));
    if (step % 50 == 0) lines.push_back(R"({"event": "heartbeat", "time": 1780000000})");
  }
  Outcome outcome;
  Read(fmt::format("[\n{}\n]\n", fmt::join(lines, ",\n")), outcome);
  EXPECT_TRUE(outcome == ReadWhole(lines));
}

}  // namespace
}  // namespace stepscope::goodput::json_lines_random_test
