// Reads golden test files, and writes their traces as JSON.
#include "tests/golden_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <stdexcept>

namespace stepscope::testing {
namespace {

std::vector<std::string> Words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    if (word.starts_with('"')) {
      std::string rest;
      if (word.size() == 1 || !word.ends_with('"')) std::getline(in, rest, '"');
      else word.pop_back();
      word = word.substr(1) + rest;
    }
    words.push_back(word);
  }
  return words;
}

int64_t Nanoseconds(const std::string& us) { return std::llround(std::stod(us) * 1000); }

void ReadRange(const std::string& word, InlineEvent& event) {
  const size_t dots = word.find("..");
  if (dots == word.npos) throw std::runtime_error("expected start..end, found " + word);
  event.start = Nanoseconds(word.substr(0, dots));
  event.end = Nanoseconds(word.substr(dots + 2));
}

void ReadOption(const std::string& word, InlineEvent& event) {
  const size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == word.npos ? "" : word.substr(equals + 1);
  if (key == "launch") event.launch = Nanoseconds(value);
  else if (key == "device") event.device = std::stoll(value);
  else if (key == "cat") event.category = value;
  else if (key == "collective") event.collective = value;
  else throw std::runtime_error("unknown option " + word);
}

InlineEvent ReadEvent(const std::vector<std::string>& words) {
  InlineEvent event;
  size_t range = 2;
  if (words[0] == "stream") {
    event.on_stream = true;
    event.stream = std::stoll(words.at(1));
    event.name = words.at(2);
    event.category = "kernel";
    range = 3;
  } else if (words[0] == "step") {
    event.name = "ProfilerStep#" + words.at(1);
    event.category = "user_annotation";
  } else if (words[0] == "host") {
    event.name = words.at(1);
    event.category = "cpu_op";
  } else {
    throw std::runtime_error("expected stream, step or host, found " + words[0]);
  }
  ReadRange(words.at(range), event);
  for (size_t w = range + 1; w < words.size(); ++w) ReadOption(words[w], event);
  return event;
}

GoldenRun ReadRun(const std::vector<std::string>& words) {
  GoldenRun run{.analysis = words.at(1)};
  for (size_t w = 2; w + 1 < words.size(); w += 2) {
    if (words[w] == "--steps") {
      run.steps = words[w + 1];
    } else if (words[w] == "-p") {
      const size_t equals = words[w + 1].find('=');
      run.params.emplace_back(words[w + 1].substr(0, equals), words[w + 1].substr(equals + 1));
    } else {
      throw std::runtime_error("unknown option " + words[w]);
    }
  }
  return run;
}

bool BeginsBlock(const std::string& line) {
  return line.starts_with("trace") || line.starts_with("run ") || line.starts_with('#');
}

// Reads the line at `at`; for a run, with its expectation. Returns the next line to read.
size_t ReadLine(GoldenFile& file, size_t at, std::vector<InlineTrace>& traces, bool& after_run) {
  const auto words = Words(file.lines[at]);
  if (words.empty() || words[0].starts_with('#')) return at + 1;
  if (words[0] == "trace") {
    if (after_run) traces.clear();
    after_run = false;
    InlineTrace& trace = traces.emplace_back();
    if (words.size() > 1) trace.rank = std::stoll(words[1].substr(words[1].find('=') + 1));
    return at + 1;
  }
  if (words[0] != "run") {
    if (traces.empty()) throw std::runtime_error("an event before any trace");
    traces.back().events.push_back(ReadEvent(words));
    return at + 1;
  }
  GoldenRun run = ReadRun(words);
  if (at + 1 >= file.lines.size() || file.lines[at + 1] != "----") throw std::runtime_error("---- expected");
  run.first_line = at + 2;
  run.last_line = run.first_line;
  while (run.last_line < file.lines.size() && !BeginsBlock(file.lines[run.last_line])) ++run.last_line;
  while (run.last_line > run.first_line && file.lines[run.last_line - 1].empty()) --run.last_line;
  run.traces = traces;
  after_run = true;
  file.runs.push_back(std::move(run));
  return file.runs.back().last_line;
}

std::string Microseconds(int64_t ns) {
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
}

std::string Event(const InlineEvent& e, const Variant& v, int64_t pid, int64_t tid, const std::string& args) {
  return fmt::format(R"({{"ph":"X","cat":{},"name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                     nlohmann::json(e.category).dump(), nlohmann::json(e.name).dump(), pid, tid,
                     Microseconds(e.start + v.shift), Microseconds(e.end - e.start), args);
}

}  // namespace

GoldenFile ReadGoldenFile(const std::string& path) {
  GoldenFile file;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  std::vector<InlineTrace> traces;
  bool after_run = false;
  for (size_t at = 0; at < file.lines.size();) {
    try {
      at = ReadLine(file, at, traces, after_run);
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path, at + 1, error.what()));
    }
  }
  return file;
}

std::string ToKineto(const InlineTrace& trace, const Variant& v) {
  constexpr int64_t kHost = 4242;
  std::vector<std::string> events;
  int64_t correlation = 1000;
  for (const InlineEvent& e : trace.events) {
    if (!e.on_stream) {
      events.push_back(Event(e, v, kHost, kHost, ""));
      continue;
    }
    const int64_t stream = e.stream * v.stream_factor + v.stream_offset;
    std::string args = fmt::format(R"("device":{},"stream":{},"correlation":{})", e.device, stream, ++correlation);
    if (!e.collective.empty()) args += fmt::format(R"(,"Collective name":"{}")", e.collective);
    events.push_back(Event(e, v, e.device, stream, args));
    if (e.launch < 0) continue;
    const InlineEvent call{.name = "cudaLaunchKernel", .category = "cuda_runtime", .start = e.launch, .end = e.launch + 1000};
    events.push_back(Event(call, v, kHost, kHost, fmt::format(R"("correlation":{})", correlation)));
  }
  if (v.shuffle != 0) std::ranges::shuffle(events, std::mt19937(v.shuffle));
  std::string json = "{\"schemaVersion\": 1,\n";
  if (trace.rank >= 0) json += fmt::format("\"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}}},\n", trace.rank);
  json += "\"traceEvents\": [\n";
  for (size_t i = 0; i < events.size(); ++i) json += events[i] + (i + 1 < events.size() ? ",\n" : "\n");
  return json + "], \"traceName\": \"inline\"}\n";
}

}  // namespace stepscope::testing
