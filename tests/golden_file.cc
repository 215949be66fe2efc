// Reads golden test files, and writes their traces as JSON.
#include "tests/golden_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace stepscope::testing {
namespace {

using Words = std::vector<std::string>;

// The words of a line up to a comment; a word in double quotes may hold spaces.
Words WordsOf(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> std::quoted(word) && !word.starts_with('#');) words.push_back(word);
  return words;
}

struct Option {
  std::string key, value;
};

Option ReadOption(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) throw std::runtime_error("expected key=value, found " + word);
  return {word.substr(0, equals), word.substr(equals + 1)};
}

int64_t Nanoseconds(const std::string& us) { return std::llround(std::stod(us) * 1000); }

void ReadRange(const std::string& word, InlineEvent& event) {
  const size_t dots = word.find("..");
  if (dots == std::string::npos) throw std::runtime_error("expected start..end, found " + word);
  event.start = Nanoseconds(word.substr(0, dots));
  event.end = Nanoseconds(word.substr(dots + 2));
}

void ReadEventOption(const std::string& word, InlineEvent& event) {
  const auto [key, value] = ReadOption(word);
  if (key == "launch") {
    const size_t dots = value.find("..");
    event.launch = Nanoseconds(value.substr(0, dots));
    if (dots != std::string::npos) event.launch_end = Nanoseconds(value.substr(dots + 2));
  } else if (key == "call") {
    event.call = value;
  } else if (key == "thread") {
    event.thread = std::stoll(value);
  } else if (key == "phase") {
    event.phase = value;
  } else if (key.starts_with("args.")) {
    event.args.emplace_back(key.substr(5), value);
  } else if (key == "device") {
    event.device = std::stoll(value);
  } else if (key == "cat") {
    event.category = value;
  } else if (key == "collective") {
    event.collective = value;
  } else if (key == "correlation") {
    event.correlation = std::stoll(value);
  } else {
    throw std::runtime_error("unknown option " + word);
  }
}

InlineEvent ReadEvent(const Words& words) {
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
  for (size_t w = range + 1; w < words.size(); ++w) ReadEventOption(words[w], event);
  return event;
}

// The place of `word` among `words`, or -1.
int64_t PlaceOf(const std::string& word, std::initializer_list<std::string_view> words) {
  const auto at = std::ranges::find(words, word);
  return at == words.end() ? -1 : at - words.begin();
}

InlineChange ReadChange(const Words& words) {
  if (words[0] != "change") throw std::runtime_error("expected change, found " + words[0]);
  InlineChange change{
      .action = 1 + PlaceOf(words.at(2), {"preexisting", "create", "increment_version", "destroy"}),
      .bytes = std::stoll(words.at(3))};
  if (change.action == 0) throw std::runtime_error("unknown action " + words[2]);
  if (words[1] != "before") change.time = Nanoseconds(words[1]);
  const int64_t use = PlaceOf(words.at(4), {"parameter", "optimizer_state", "input", "temporary",
                                            "activation", "gradient", "autograd_detail"});
  change.use = use < 0 ? words[4] : std::to_string(use);
  return change;
}

InlineTrace ReadTrace(const Words& words) {
  InlineTrace trace;
  trace.memory_timeline = words[0] == "timeline";
  for (size_t w = 1; w < words.size(); ++w) {
    const auto [key, value] = ReadOption(words[w]);
    if (key == "rank") {
      trace.rank = std::stoll(value);
    } else if (key == "world") {
      trace.world = std::stoll(value);
    } else if (key == "file") {
      trace.file = value;
    } else if (key == "gpu") {
      trace.gpu = value;
    } else if (key == "capability") {
      trace.capability = value;
    } else {
      throw std::runtime_error("unknown option " + words[w]);
    }
  }
  return trace;
}

GoldenRun ReadRun(const Words& words) {
  GoldenRun run{.analysis = words.at(1)};
  for (size_t w = 2; w < words.size(); w += 2) {
    const std::string& value = words.at(w + 1);
    if (words[w] == "--steps") {
      run.steps = value;
    } else if (words[w] == "-p") {
      const auto [name, setting] = ReadOption(value);
      run.params.emplace_back(name, setting);
    } else {
      throw std::runtime_error("unknown option " + words[w]);
    }
  }
  return run;
}

bool BeginsBlock(const std::string& line) {
  return line.starts_with("trace") || line.starts_with("timeline ") || line.starts_with("run ") ||
         line.starts_with('#');
}

class Reader {
 public:
  explicit Reader(std::vector<std::string> lines) { file_.lines = std::move(lines); }
  bool done() const { return at_ >= file_.lines.size(); }
  size_t line() const { return at_ + 1; }
  GoldenFile& file() { return file_; }

  // Reads the line it stands at, for a run with its expectation, and moves behind it.
  void ReadLine() {
    const Words words = WordsOf(file_.lines[at_]);
    if (!words.empty() && words[0] == "run") return TakeRun(words);
    if (!words.empty() && (words[0] == "trace" || words[0] == "timeline")) {
      if (after_run_) traces_.clear();
      after_run_ = false;
      traces_.push_back(ReadTrace(words));
    } else if (!words.empty()) {
      if (traces_.empty()) throw std::runtime_error("an event before any trace");
      if (after_run_) throw std::runtime_error("an event behind a run");
      InlineTrace& trace = traces_.back();
      if (trace.memory_timeline)
        trace.changes.push_back(ReadChange(words));
      else
        trace.events.push_back(ReadEvent(words));
    }
    ++at_;
  }

 private:
  void TakeRun(const Words& words) {
    GoldenRun run = ReadRun(words);
    const auto& lines = file_.lines;
    if (at_ + 1 >= lines.size() || lines[at_ + 1] != "----") {
      throw std::runtime_error("---- expected behind run");
    }
    size_t end = run.first_line = at_ + 2;
    while (end < lines.size() && !BeginsBlock(lines[end])) ++end;
    at_ = end;
    while (end > run.first_line && lines[end - 1].empty()) --end;
    run.last_line = end;
    run.traces = traces_;
    after_run_ = true;
    file_.runs.push_back(std::move(run));
  }

  GoldenFile file_;
  std::vector<InlineTrace> traces_;
  bool after_run_ = false;
  size_t at_ = 0;
};

std::string Microseconds(int64_t ns) {
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
}

constexpr int64_t kHost = 4242;

// Collects the events of one trace as text.
class KinetoText {
 public:
  explicit KinetoText(const Variant& variant) : v_(variant) {}

  void Add(const InlineEvent& e) {
    std::string args =
        e.on_stream ? fmt::format(R"("device":{},"stream":{})", e.device, Stream(e)) : "";
    const int64_t correlation =
        e.correlation < 0 && e.on_stream ? ++last_correlation_ : e.correlation;
    if (correlation >= 0) {
      args += fmt::format(R"({}"correlation":{})", args.empty() ? "" : ",", correlation);
    }
    if (!e.collective.empty()) args += fmt::format(R"(,"Collective name":"{}")", e.collective);
    for (const auto& [key, value] : e.args) {
      const bool is_json = nlohmann::json::accept(value);
      args += fmt::format("{}{}:{}", args.empty() ? "" : ",", nlohmann::json(key).dump(),
                          is_json ? value : nlohmann::json(value).dump());
    }
    Write(e, e.on_stream ? e.device : kHost, e.on_stream ? Stream(e) : Thread(e), args);
    if (e.launch >= 0) AddLaunch(e, correlation);
  }

  std::vector<std::string>& events() { return events_; }

 private:
  int64_t Stream(const InlineEvent& e) const {
    return e.stream * v_.stream_factor + v_.stream_offset;
  }

  static int64_t Thread(const InlineEvent& e) { return e.thread < 0 ? kHost : e.thread; }

  void AddLaunch(const InlineEvent& e, int64_t correlation) {
    InlineEvent call{.name = "cudaLaunchKernel", .category = "cuda_runtime"};
    if (e.category == "gpu_memcpy") call.name = "cudaMemcpyAsync";
    if (e.category == "gpu_memset") call.name = "cudaMemsetAsync";
    if (!e.call.empty()) call.name = e.call;
    call.start = e.launch;
    call.end = e.launch_end < 0 ? e.launch + 1000 : e.launch_end;
    Write(call, kHost, Thread(e), fmt::format(R"("correlation":{})", correlation));
  }

  void Write(const InlineEvent& e, int64_t pid, int64_t tid, const std::string& args) {
    events_.push_back(fmt::format(
        R"({{"ph":"{}","cat":{},"name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
        e.phase, nlohmann::json(e.category).dump(), nlohmann::json(e.name).dump(), pid, tid,
        Microseconds(e.start + v_.shift), Microseconds(e.end - e.start), args));
  }

  const Variant& v_;
  int64_t last_correlation_ = 1000;
  std::vector<std::string> events_;
};

std::string Header(const InlineTrace& trace) {
  std::string json = "{\"schemaVersion\": 1,\n";
  if (trace.gpu == "none") {
    json += "\"deviceProperties\": [],\n";
  } else if (!trace.gpu.empty()) {
    json += fmt::format(R"("deviceProperties": [{{"id": 0, "name": "{}")", trace.gpu);
    if (const size_t point = trace.capability.find('.'); point != std::string::npos) {
      json += fmt::format(R"(, "computeMajor": {}, "computeMinor": {}, "numSms": 100, )",
                          trace.capability.substr(0, point), trace.capability.substr(point + 1));
      json += R"("maxThreadsPerMultiprocessor": 2048)";
    }
    json += "}],\n";
  }
  if (trace.rank >= 0) {
    json += fmt::format(R"("distributedInfo": {{"backend": "nccl", "rank": {})", trace.rank);
    if (trace.world >= 0) json += fmt::format(R"(, "world_size": {})", trace.world);
    json += "},\n";
  }
  return json;
}

std::string ToMemoryTimeline(const InlineTrace& trace, const Variant& variant) {
  std::vector<std::string> entries;
  for (const InlineChange& c : trace.changes) {
    entries.push_back(fmt::format("[{}, {}, {}, {}]", c.time < 0 ? -1 : c.time + variant.shift,
                                  c.action, c.bytes, c.use));
  }
  if (variant.shuffle != 0) std::ranges::shuffle(entries, std::mt19937(variant.shuffle));
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

}  // namespace

GoldenFile ReadGoldenFile(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  Reader reader(std::move(lines));
  while (!reader.done()) {
    try {
      reader.ReadLine();
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path, reader.line(), error.what()));
    }
  }
  return std::move(reader.file());
}

std::string ToFile(const InlineTrace& trace, const Variant& variant) {
  if (trace.memory_timeline) return ToMemoryTimeline(trace, variant);
  KinetoText text(variant);
  for (const InlineEvent& event : trace.events) text.Add(event);
  auto& events = text.events();
  if (variant.shuffle != 0) std::ranges::shuffle(events, std::mt19937(variant.shuffle));
  return Header(trace) + "\"traceEvents\": [\n" + fmt::format("{}", fmt::join(events, ",\n")) +
         "\n], \"traceName\": \"inline\"}\n";
}

}  // namespace stepscope::testing
