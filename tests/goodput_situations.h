// Plants what happens to real jobs in small logs, and checks every face of the answer: the report
// of the log, of a ledger with it, the list of jobs, the live view and the metrics tell one number.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "goodput/events/event_lines.h"
#include "goodput/live/live.h"
#include "goodput/live/live_report.h"
#include "goodput/live/metrics.h"
#include "report/phrase_format.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/ledger.h"
#include "tests/support/scenario.h"

namespace stepscope::testing {

inline constexpr double kLater = 20'000;  // s, when somebody asks: not yet forgotten by a server

// "PRODUCTIVE 60, OTHER 20": seconds, the longest first.
inline std::string BucketsOf(const std::vector<Row>& rows) {
  std::vector<std::pair<double, std::string>> times;
  for (const Row& row : rows) {
    if (row.Int("time") == 0) continue;
    times.emplace_back(-Seconds(row.Int("time")), row.Text("bucket"));
  }
  std::ranges::sort(times);
  std::string text;
  for (const auto& [time, name] : times) {
    text += fmt::format("{}{} {:.6g}", text.empty() ? "" : ", ", name, -time);
  }
  return text;
}

class GoodputSituations : public LedgerTest {
 protected:
  // The scenario as events of the job "j"; what follows "start" names all events of that process.
  static std::vector<goodput::Event> Planted(const std::string& scenario) {
    std::vector<goodput::Event> events = goodput::EventsOf(scenario);
    std::map<std::string, std::string> attempts;
    for (const goodput::Event& event : events) {
      if (event.kind == goodput::EventKind::kJobStart)
        attempts.try_emplace(event.writer, event.attempt);
    }
    for (goodput::Event& event : events) {
      event.job = "j";
      if (!event.writer.empty()) event.attempt = attempts[event.writer];
    }
    return events;
  }

  std::string LogOf(const std::vector<goodput::Event>& events,
                    const std::string& name = "log.jsonl") const {
    std::string lines;
    for (const goodput::Event& event : events) goodput::AppendJsonLine(event, lines);
    return folder_.Write(name, lines);
  }

  // Buckets and disruptions, as every face tells them.
  std::string Told(std::vector<goodput::Event> events, double at = kLater) {
    const std::string log = LogOf(events);
    auto report = GoodputReport({.files = {log}, .at = goodput::ScenarioTime(at)});
    if (!report) throw std::runtime_error(report.error().what);
    answer_ = *report;
    const std::string told = BucketsOf(RowsOf(answer_, "goodput", "buckets"));
    const double ratio = std::get<double>(MetricOf(answer_, "goodput", "goodput_ratio"));

    // Mixed by time, each process in its order, as a ledger and a server see it.
    std::map<std::string, int64_t> latest;
    for (goodput::Event& event : events) {
      int64_t& time = latest[event.writer];
      time = std::max(time, event.time);
      event.received = time;  // only for sorting
    }
    std::ranges::stable_sort(events, {}, &goodput::Event::received);
    for (goodput::Event& event : events) event.received = goodput::kUnknown;
    const std::string store = fmt::format("{}-{}", store_, stores_++);
    EXPECT_TRUE(GoodputImport(store, {LogOf(events, "mixed.jsonl")}));
    const auto stored = GoodputReport({.store = store, .at = goodput::ScenarioTime(at)});
    EXPECT_TRUE(stored);
    if (stored) {
      EXPECT_EQ(BucketsOf(RowsOf(*stored, "goodput", "buckets")), told);
    }

    std::map<std::string, goodput::LiveJob> jobs;
    for (const goodput::Event& event : events) jobs["j"].Add(event, goodput::ScenarioTime(at));
    const Report live = LiveReport(jobs, "j", std::nullopt, goodput::ScenarioTime(at));
    EXPECT_EQ(std::get<double>(live.metrics.front().value), ratio);
    const Cell total = MetricOf(answer_, "goodput", "total");
    EXPECT_EQ(live.metrics.at(1).value, total);
    // A server forgets the metrics of jobs that ended long ago.
    const goodput::Metrics metrics = goodput::CollectMetrics(jobs, {}, goodput::ScenarioTime(at));
    for (const goodput::MetricFamily& family : metrics.families) {
      if (family.name == "elapsed_seconds") {
        EXPECT_EQ(family.points.at(0).number, Seconds(std::get<int64_t>(total)));
      } else if (family.name == "ratio") {
        EXPECT_EQ(family.points.at(0).number, ratio);
      } else if (family.name == "running") {
        EXPECT_EQ(family.points.at(0).number, State() == "running" ? 1 : 0);
      }
    }

    // The list of jobs is of now.
    const auto now = GoodputReport({.store = store});
    const auto list = GoodputJobs(store);
    EXPECT_TRUE(now && list);
    if (now && list) {
      const auto rows = RowsOf(*list, "goodput_jobs", "jobs");
      EXPECT_EQ(rows.size(), 1u);
      EXPECT_EQ(rows.at(0).Real("goodput_ratio"),
                std::get<double>(MetricOf(*now, "goodput", "goodput_ratio")));
      EXPECT_EQ(rows.at(0).At("time"), MetricOf(*now, "goodput", "total"));
      EXPECT_EQ(rows.at(0).Text("state"),
                std::get<std::string>(MetricOf(*now, "goodput", "state")));
    }
    return told;
  }
  std::string Told(const std::string& scenario, double at = kLater) {
    return Told(Planted(scenario), at);
  }

  int64_t Disruptions() const {
    return std::get<int64_t>(MetricOf(answer_, "goodput", "disruptions"));
  }
  std::string State() const { return std::get<std::string>(MetricOf(answer_, "goodput", "state")); }
  std::string Cause(size_t disruption = 0) const {
    return RowsOf(answer_, "goodput", "disruptions").at(disruption).Text("cause");
  }
  // All words of all findings.
  std::string Findings() const {
    std::string text;
    for (const Finding& f : ReportOf(answer_, "goodput").findings) {
      text += fmt::format("{} ({}): {}\n", f.message, f.because, f.hint);
    }
    return text;
  }
  // What the note says; empty: there is none.
  std::string NoteOf(std::string_view name) const {
    for (const auto& note : ReportOf(answer_, "goodput").notes) {
      if (note.name == name) return note.message;
    }
    return {};
  }
  bool Notes(std::string_view name) const { return !NoteOf(name).empty(); }

  ReportSet answer_;
  int stores_ = 0;
};

inline std::string Heartbeats(int64_t from, int64_t to, int every = 10) {
  std::string text;
  for (int64_t t = from; t <= to; t += every) text += fmt::format("; {} heartbeat", t);
  return text;
}

}  // namespace stepscope::testing
