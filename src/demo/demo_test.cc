// Tests the demo's traces: they are parsed with another library than they were written with, and
// truth.json is compared with a plain recomputation from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/demo_fixture.h"

namespace stepscope::demo_test {
namespace {

using nlohmann::json;

int64_t Ns(const json& micros) { return std::llround(micros.get<double>() * 1000); }

struct Span {
  int64_t start = 0, end = 0;
  auto operator<=>(const Span&) const = default;
};

Span SpanOf(const json& event) { return {Ns(event["ts"]), Ns(event["ts"]) + Ns(event["dur"])}; }

struct Work {
  Span span;
  std::string kind, name;
  int stream = 0;
  int64_t correlation = 0, sequence = 0, elements = 0;
};

std::string KindOf(const json& event) {
  const std::string category = event.value("cat", "");
  if (category == "gpu_memcpy" || category == "gpu_memset") return "memory";
  if (category != "kernel") return "";
  return event["args"].contains("Collective name") ? "communication" : "compute";
}

std::vector<Work> ActivityIn(const json& trace) {
  std::vector<Work> all;
  for (const json& event : trace["traceEvents"]) {
    const std::string kind = KindOf(event);
    if (kind.empty()) continue;
    const json& args = event["args"];
    all.push_back({SpanOf(event), kind, event["name"], args["stream"], args["correlation"],
                   args.value("Seq", int64_t{0}), args.value("In msg nelems", int64_t{0})});
  }
  return all;
}

// Runtime calls by correlation.
std::map<int64_t, Span> LaunchesIn(const json& trace) {
  std::map<int64_t, Span> launches;
  for (const json& event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    if (category != "cuda_runtime" && category != "cuda_driver") continue;
    EXPECT_TRUE(launches.emplace(event["args"]["correlation"], SpanOf(event)).second);
  }
  return launches;
}

// For how long there is work of all of `kinds` at once ("" is any kind): looks at every stretch
// between two neighboring moments when something starts or ends.
int64_t TimeWith(const std::vector<Work>& work, const std::vector<std::string>& kinds) {
  std::set<int64_t> moments;
  for (const Work& each : work) moments.insert({each.span.start, each.span.end});
  int64_t sum = 0;
  for (auto at = moments.begin(); at != moments.end() && std::next(at) != moments.end(); ++at) {
    const auto runs = [&](const std::string& kind) {
      return std::ranges::any_of(work, [&](const Work& each) {
        return (kind.empty() || each.kind == kind) && each.span.start <= *at && each.span.end > *at;
      });
    };
    if (std::ranges::all_of(kinds, runs)) sum += *std::next(at) - *at;
  }
  return sum;
}

void ExpectUsage(const json& truth, const std::vector<Work>& work) {
  ASSERT_FALSE(work.empty());
  const int64_t start =
      std::ranges::min(work, {}, [](const Work& w) { return w.span.start; }).span.start;
  const int64_t end = std::ranges::max(work, {}, [](const Work& w) { return w.span.end; }).span.end;
  const int64_t busy = TimeWith(work, {""});
  const int64_t communication = TimeWith(work, {"communication"});
  const int64_t overlapped = TimeWith(work, {"communication", "compute"});
  EXPECT_EQ(truth["gpu_start"], start);
  EXPECT_EQ(truth["gpu_end"], end);
  EXPECT_EQ(truth["span"], end - start);
  EXPECT_EQ(truth["busy"], busy);
  EXPECT_EQ(truth["idle"], end - start - busy);
  EXPECT_EQ(truth["compute"], TimeWith(work, {"compute"}));
  EXPECT_EQ(truth["communication"], communication);
  EXPECT_EQ(truth["overlapped"], overlapped);
  EXPECT_EQ(truth["exposed"], communication - overlapped);
  EXPECT_EQ(truth["memory"], TimeWith(work, {"memory"}));
  EXPECT_EQ(truth["gpu_events"], work.size());
  EXPECT_EQ(truth["launches"], work.size());
}

// The idle time of the GPU before each batch is copied in.
int64_t GapIn(std::vector<Work> work) {
  std::ranges::sort(work, {}, &Work::span);
  int64_t sum = 0, end = work.front().span.start;
  for (const Work& each : work) {
    if (each.name.starts_with("Memcpy HtoD")) sum += each.span.start - end;
    end = std::max(end, each.span.end);
  }
  return sum;
}

TEST_F(DemoTest, SaysWhoItIs) {
  const DemoSummary summary = Write(Tiny());
  EXPECT_EQ(summary.files, 4);
  int64_t events = 0, bytes = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const json trace = Trace(rank);
    EXPECT_EQ(trace["distributedInfo"]["rank"], rank);
    EXPECT_EQ(trace["distributedInfo"]["world_size"], 3);
    EXPECT_EQ(trace["distributedInfo"]["pg_config"][0]["ranks"], json({0, 1, 2}));
    EXPECT_EQ(trace["schemaVersion"], 1);
    events += static_cast<int64_t>(trace["traceEvents"].size());
    bytes += static_cast<int64_t>(Read("rank-" + std::to_string(rank) + ".pt.trace.json").size());
  }
  EXPECT_EQ(summary.events, events);
  EXPECT_EQ(summary.raw_bytes, bytes);
}

TEST_F(DemoTest, TruthAgreesWithTheTraces) {
  Write(Tiny());
  const json truth = Truth();
  ASSERT_EQ(truth["ranks"].size(), 3u);
  for (int rank = 0; rank < 3; ++rank) {
    const json& told = truth["ranks"][static_cast<size_t>(rank)];
    const json trace = Trace(rank);
    const std::vector<Work> work = ActivityIn(trace);
    ExpectUsage(told, work);
    EXPECT_EQ(told["host_gap"], GapIn(work));
    EXPECT_EQ(told["events"], trace["traceEvents"].size());
    std::map<std::string, std::pair<int64_t, int64_t>> kernels, told_kernels;
    for (const Work& each : work) {
      kernels[each.name].first += 1;
      kernels[each.name].second += each.span.end - each.span.start;
    }
    for (const json& each : told["kernels"])
      told_kernels[each["name"]] = {each["count"], each["sum"]};
    EXPECT_EQ(kernels, told_kernels);
  }
}

TEST_F(DemoTest, TruthAgreesStepByStep) {
  Write(Tiny());
  const json truth = Truth(), trace = Trace(1);
  const std::vector<Work> work = ActivityIn(trace);
  const std::map<int64_t, Span> launches = LaunchesIn(trace);
  size_t steps = 0;
  for (const json& event : trace["traceEvents"]) {
    const std::string name = event["name"];
    if (event.value("cat", "") != "user_annotation" || !name.starts_with("ProfilerStep#")) continue;
    const json& told = truth["ranks"][1]["steps"][steps++];
    const Span step = SpanOf(event);
    EXPECT_EQ(name, "ProfilerStep#" + std::to_string(told["step"].get<int>()));
    EXPECT_EQ(told["start"], step.start);
    EXPECT_EQ(told["end"], step.end);
    std::vector<Work> launched;
    std::ranges::copy_if(work, std::back_inserter(launched), [&](const Work& each) {
      const int64_t at = launches.at(each.correlation).start;
      return step.start <= at && at < step.end;
    });
    ExpectUsage(told, launched);
    EXPECT_EQ(told["host_gap"], GapIn(launched));
  }
  EXPECT_EQ(steps, 3u);
}

TEST_F(DemoTest, CollectivesEndTogether) {
  Write(Tiny());
  std::map<int64_t, std::set<int64_t>> ends, sizes;
  for (int rank = 0; rank < 3; ++rank) {
    for (const Work& each : ActivityIn(Trace(rank))) {
      if (each.kind != "communication") continue;
      ends[each.sequence].insert(each.span.end);
      sizes[each.sequence].insert(each.elements);
    }
  }
  EXPECT_EQ(ends.size(), 6u);  // two a step
  for (const auto& [sequence, end] : ends) EXPECT_EQ(end.size(), 1u) << sequence;
  for (const auto& [sequence, size] : sizes) EXPECT_EQ(size.size(), 1u) << sequence;
}

TEST_F(DemoTest, LaunchesComeFirstAndStreamsAreInOrder) {
  Write(Tiny());
  for (int rank = 0; rank < 3; ++rank) {
    const json trace = Trace(rank);
    const std::map<int64_t, Span> launches = LaunchesIn(trace);
    std::map<int, std::vector<Span>> streams;
    std::set<int64_t> correlations;
    for (const Work& each : ActivityIn(trace)) {
      ASSERT_TRUE(launches.contains(each.correlation));
      EXPECT_LT(launches.at(each.correlation).start, each.span.start);
      EXPECT_TRUE(correlations.insert(each.correlation).second);
      streams[each.stream].push_back(each.span);
    }
    EXPECT_EQ(streams.size(), 2u);
    for (auto& [stream, spans] : streams) {
      std::ranges::sort(spans);
      for (size_t i = 1; i < spans.size(); ++i) EXPECT_GT(spans[i].start, spans[i - 1].end);
    }
  }
}

TEST_F(DemoTest, HostEventsNest) {
  Write(Tiny());
  std::map<std::pair<int, bool>, std::vector<Span>> threads;  // by thread, and whether it is Python
  const json trace = Trace(0);
  for (const json& event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    if (category == "python_function") threads[{event["tid"], true}].push_back(SpanOf(event));
    if (category == "cpu_op" || category == "user_annotation" || category.starts_with("cuda_r")) {
      threads[{event["tid"], false}].push_back(SpanOf(event));
    }
  }
  EXPECT_EQ(threads.size(), 3u);
  for (auto& [thread, spans] : threads) {
    std::ranges::sort(spans, [](const Span& a, const Span& b) {
      return std::pair(a.start, -a.end) < std::pair(b.start, -b.end);
    });
    std::vector<int64_t> open;
    for (const Span& span : spans) {
      while (!open.empty() && open.back() <= span.start) open.pop_back();
      EXPECT_TRUE(open.empty() || span.end <= open.back());
      open.push_back(span.end);
    }
  }
}

TEST_F(DemoTest, FlowsLinkForwardToBackward) {
  Write(Tiny());
  std::map<int64_t, double> begun;
  size_t ended = 0;
  const json trace = Trace(0);
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "fwdbwd") continue;
    if (event["ph"] == "s") {
      EXPECT_TRUE(begun.emplace(event["id"], event["ts"]).second);
    } else {
      ASSERT_TRUE(begun.contains(event["id"]));
      EXPECT_LT(begun[event["id"]], event["ts"].get<double>());
      ++ended;
    }
  }
  EXPECT_EQ(begun.size(), ended);
  EXPECT_GT(ended, 0u);
}

TEST_F(DemoTest, TheSlowRankIsSlowInComputeOnly) {
  Write(Tiny());
  const json truth = Truth();
  const auto mean = [&](size_t rank, const std::string& kind) {
    double count = 0, sum = 0;
    for (const json& kernel : truth["ranks"][rank]["kernels"]) {
      if (kernel["kind"] != kind) continue;
      count += kernel["count"].get<double>();
      sum += kernel["sum"].get<double>();
    }
    return sum / count;
  };
  EXPECT_NEAR(mean(1, "compute") / mean(0, "compute"), 1.25, 0.01);
  EXPECT_NEAR(mean(2, "compute") / mean(0, "compute"), 1.0, 0.01);
  EXPECT_NEAR(mean(1, "memcpy") / mean(0, "memcpy"), 1.0, 0.03);
  // The others wait for it inside the collectives.
  EXPECT_LT(mean(1, "communication"), 0.5 * mean(0, "communication"));
}

TEST_F(DemoTest, PlantsWhatWasAskedFor) {
  for (const double exposed : {0.0, 0.3, 0.6, 1.0}) {
    for (const double gap : {0.0, 0.25}) {
      Write({.ranks = 2,
             .steps = 2,
             .slow_rank = -1,
             .exposed_fraction = exposed,
             .host_gap_fraction = gap,
             .layers = 24,
             .stacks = false,
             .compress = false});
      const json truth = Truth();
      EXPECT_NEAR(truth["planted"]["exposed_ratio"].get<double>(), exposed, 0.03);
      const json& rank = truth["ranks"][0];
      const double share = rank["host_gap"].get<double>() / rank["span"].get<double>();
      EXPECT_NEAR(share, gap, 0.01);
      EXPECT_NEAR(rank["idle"].get<double>() / rank["span"].get<double>(), gap, 0.02);
    }
  }
}

TEST_F(DemoTest, ClocksAreWrongByWhatTruthSays) {
  DemoOptions options = Tiny();
  Write(options);
  const auto right = Trace(1);
  options.clock_spread = 5'000'000;
  Write(options);
  const auto wrong = Trace(1);
  const int64_t offset = Truth()["ranks"][1]["clock_offset"];
  EXPECT_NE(offset, 0);
  EXPECT_LE(std::abs(offset), options.clock_spread);
  ASSERT_EQ(right["traceEvents"].size(), wrong["traceEvents"].size());
  for (size_t i = 0; i < right["traceEvents"].size(); ++i) {
    const double us = static_cast<double>(offset) / 1000;
    const auto& event = wrong["traceEvents"][i];
    EXPECT_NEAR(event["ts"].get<double>(), right["traceEvents"][i]["ts"].get<double>() + us, 0.01);
    EXPECT_EQ(event.value("dur", 0.0), right["traceEvents"][i].value("dur", 0.0));
  }
}

TEST_F(DemoTest, LooksLikeARealTrace) {
  const DemoSummary summary = Write({.steps = 2, .compress = false});
  const double bytes = static_cast<double>(summary.raw_bytes) / static_cast<double>(summary.events);
  EXPECT_GT(bytes, 240);
  EXPECT_LT(bytes, 262);
  const json truth = Truth(), rank = truth["ranks"][0];
  const double gpu = rank["gpu_events"].get<double>() / rank["events"].get<double>();
  EXPECT_GT(gpu, 0.03);
  EXPECT_LT(gpu, 0.09);
  const double step = rank["span"].get<double>() / 2;
  EXPECT_GT(step, 100e6);
  EXPECT_LT(step, 300e6);
}

TEST_F(DemoTest, GrowsToTheSizeAskedFor) {
  DemoOptions options = Tiny();
  options.steps = 1;
  options.min_raw_bytes = 2'000'000;
  Write(options);
  const json truth = Truth();
  for (const json& rank : truth["ranks"]) {
    EXPECT_GE(rank["raw_bytes"], 2'000'000);
    EXPECT_LT(rank["raw_bytes"], 2'600'000);
    EXPECT_GT(rank["steps"].size(), 3u);
  }
}

}  // namespace
}  // namespace stepscope::demo_test
