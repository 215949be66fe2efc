// Fuzzes the whole way from the bytes of a trace to every printed answer.
//
// Beside crashes and sanitizer reports it looks for disagreement: reading ahead on a thread,
// reading in shares on several, and the border of a window in the middle of the input must not
// change what is read.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/all.h"
#include "facts/activity/rank_activity_builder.h"
#include "facts/facts.h"
#include "ingest/trace_reader.h"
#include "report/findings.h"
#include "session/params.h"
#include "session/verdict.h"
#include "stepscope/write.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::kineto_fuzz {
namespace {

std::optional<Trace> Read(std::string_view bytes, const ReadOptions& options = {}) {
  auto trace = ReadTrace(ByteSource::FromMemory(bytes), options);
  if (trace) return std::move(*trace);
  Require(!trace.error().what.empty());
  return std::nullopt;
}

bool Same(const Trace& a, const Trace& b) {
  if (a.size() != b.size() || a.strings.size() != b.strings.size()) return false;
  for (EventId e = 0; e < a.size(); ++e) {
    if (a.starts()[e] != b.starts()[e] || a.durations()[e] != b.durations()[e]) return false;
    if (a.names()[e] != b.names()[e] || a.kinds()[e] != b.kinds()[e]) return false;
  }
  return a.events_in_file == b.events_in_file && a.meta.rank == b.meta.rank &&
         std::ranges::equal(a.memory.view(), b.memory.view());
}

// Asks every analysis about the trace and prints the answer in every form.
void Answer(Trace trace, const char* steps) {
  const std::vector<RankActivity> ranks = {BuildRankActivity(trace)};
  const Facts facts = DeriveFacts(trace.strings, ranks, *ParseSteps(steps), steps);
  ReportSet answer;
  for (const Analysis* analysis : kAllAnalyses) {
    answer.reports.push_back(analysis->run(facts, *MakeParams(*analysis, {})));
  }
  JoinFindings(answer, {});
  answer.verdict = Verdict(answer, facts);
  for (const Format format : {Format::kText, Format::kJson, Format::kCsv, Format::kMarkdown}) {
    Require(!Write(answer, format, {.color = true, .width = 80}).empty());
  }
}

bool Damaged(const Trace& trace) {
  for (const NoteKind kind : {NoteKind::kTruncated, NoteKind::kCorrupt, NoteKind::kMalformed}) {
    if (trace.notes.Count(kind) > 0) return true;
  }
  return false;
}

// The same text, with so much space behind its opening that a window ends inside of what follows.
void ReadAcrossBorders(std::string_view text, const Trace& expected) {
  constexpr size_t kWindow = size_t{128} << 10;
  for (const std::string_view opening : {R"({"traceEvents":[)", "["}) {
    if (!text.starts_with(opening)) continue;
    const std::string_view rest = text.substr(opening.size());
    for (const size_t inside : {rest.size() / 3, rest.size() / 2, rest.size() - rest.size() / 5}) {
      std::string padded(opening);
      padded.append(kWindow - opening.size() - inside, ' ');
      padded += rest;
      const auto trace = Read(padded);
      Require(trace && Same(*trace, expected));
    }
    return;
  }
}

// What an observer is told is JSON, and of an undamaged trace it is the trace: written out and read
// again it is the same.
void CopyAndReadAgain(std::string_view bytes, const Trace& expected) {
  std::string copy = R"({"traceEvents":[)";
  RawEventObserver observer;
  observer.member = [](const ObservedMember& member) {
    Require(member.key.starts_with('"') && nlohmann::json::accept(member.key));
    Require(nlohmann::json::accept(member.value));
  };
  observer.event = [&](const ObservedEvent& event) {
    Require(event.text.starts_with('{') && event.text.ends_with('}'));
    Require(nlohmann::json::accept(event.text));
    copy += copy.ends_with('}') ? "," : "";
    copy += event.text;
  };
  const auto observed = Read(bytes, {.observer = &observer});
  if (Damaged(expected)) return;
  Require(observed && Same(*observed, expected));
  if (Damaged(*observed)) return;  // what is passed over otherwise was read to the letter
  const auto again = Read(copy + "]}");
  Require(again && again->size() == expected.size());
}

// Damage may be met in other pieces of text there, and what is left of it be told otherwise.
void ReadInThree(std::string_view bytes, const Trace& expected) {
  std::atomic<int> spare_threads = 2;
  const auto trace =
      Read(bytes, {.spare_threads = &spare_threads, .least_share = bytes.size() / 4 + 1});
  if (Damaged(expected)) return;
  const auto invalid = [](const Trace& t) { return t.notes.Count(NoteKind::kInvalidText); };
  Require(trace && Same(*trace, expected) && invalid(*trace) == invalid(expected));
}

void Fuzz(std::string_view bytes) {
  auto all = Read(bytes);
  auto some = Read(bytes, {.keep = kRankActivityNeeds});
  Require(all.has_value() == some.has_value());
  if (bytes.size() % 8 == 0) {
    std::atomic<int> spare_threads = 1;
    const auto ahead = Read(bytes, {.keep = kRankActivityNeeds, .spare_threads = &spare_threads});
    Require(ahead.has_value() == some.has_value() && (!ahead || Same(*ahead, *some)));
  }
  if (!all) return;
  if (bytes.size() % 8 == 1 && bytes.size() < 100'000 && !Damaged(*all))
    ReadAcrossBorders(bytes, *all);
  if (bytes.size() % 8 == 3) ReadInThree(bytes, *all);
  if (bytes.size() % 8 == 2) CopyAndReadAgain(bytes, *all);
  Answer(std::move(*all), "all");
  Answer(std::move(*some), bytes.size() % 2 == 0 ? "complete" : "1..3");
}

const fuzz::Register kTarget({.name = "kineto", .run = &Fuzz, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::kineto_fuzz
