// Fuzzes the whole way from the bytes of a profile (XSpace) to every printed answer.
//
// Beside crashes and sanitizer reports it looks for disagreement: a compressed profile is held in
// memory and must be read as one in a file is, and keeping less must not change what is kept.
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/all.h"
#include "facts/activity/rank_activity_builder.h"
#include "facts/facts.h"
#include "ingest/xplane/xplane_reader.h"
#include "report/findings.h"
#include "session/params.h"
#include "session/verdict.h"
#include "stepscope/write.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::xplane_fuzz {
namespace {

// Whatever the bytes begin with: that they look like a profile is for the fuzzer of all traces.
std::optional<Trace> Read(ByteSource source, const ReadOptions& options = {}) {
  auto trace = ReadXSpace(SeekableBytes(std::move(source)), options);
  if (trace) return std::move(*trace);
  Require(!trace.error().what.empty());
  return std::nullopt;
}

const std::string& Path() {
  static const std::string path = "/tmp/xplane-fuzz-" + std::to_string(getpid());
  return path;
}

bool Same(const Trace& a, const Trace& b) {
  if (a.size() != b.size() || a.strings.size() != b.strings.size()) return false;
  for (EventId e = 0; e < a.size(); ++e) {
    if (a.starts()[e] != b.starts()[e] || a.durations()[e] != b.durations()[e]) return false;
    if (a.names()[e] != b.names()[e] || a.kinds()[e] != b.kinds()[e]) return false;
  }
  return a.events_in_file == b.events_in_file && a.gpu_events_in_file == b.gpu_events_in_file;
}

// What other rooms rely on.
void RequireTimes(const Trace& trace) {
  for (EventId e = 0; e < trace.size(); ++e) {
    int64_t end = 0;
    Require(trace.durations()[e] >= 0 && trace.tracks_of()[e] < trace.tracks.size());
    Require(!__builtin_add_overflow(trace.starts()[e], trace.durations()[e], &end));
  }
  const auto& steps = trace.Ints(IntField::kStep);
  for (size_t i = 1; i < steps.size(); ++i) Require(steps.event(i - 1) < steps.event(i));
}

// Asks every analysis about the trace and prints the answer in every form.
void Answer(Trace trace) {
  const std::vector<RankActivity> ranks = {BuildRankActivity(trace)};
  const Facts facts = DeriveFacts(trace.strings, ranks, *ParseSteps("all"), "all");
  ReportSet answer;
  for (const Analysis* analysis : kAllAnalyses)
    answer.reports.push_back(analysis->run(facts, *MakeParams(*analysis, {})));
  JoinFindings(answer, {});
  answer.verdict = Verdict(answer, facts);
  for (const Format format : {Format::kText, Format::kJson, Format::kCsv, Format::kMarkdown})
    Require(!Write(answer, format, {.color = true, .width = 80}).empty());
}

void Fuzz(std::string_view bytes) {
  auto all = Read(ByteSource::FromMemory(bytes));
  const auto some = Read(ByteSource::FromMemory(bytes), {.keep = kRankActivityNeeds});
  Require(all.has_value() == some.has_value());
  if (!all) return;
  Require(all->events_in_file == some->events_in_file);
  Require(all->gpu_events_in_file == some->gpu_events_in_file);
  RequireTimes(*all);
  RequireTimes(*some);
  if (bytes.size() % 8 == 0) {
    std::ofstream(Path(), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    auto source = ByteSource::Open(Path());
    Require(source.has_value());
    const auto again = Read(std::move(*source));
    Require(again && Same(*all, *again));
  }
  Answer(std::move(*all));
}

const fuzz::Register kTarget({.name = "xplane", .run = &Fuzz, .form = fuzz::Form::kProto});

}  // namespace
}  // namespace stepscope::xplane_fuzz
