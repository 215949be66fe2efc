// Families of series, filled job by job.
#include "goodput/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "report/humanize.h"
#include "report/printable.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kForgetAfter = 86'400'000'000'000;

// The bounds of the step time histogram, ns.
constexpr int64_t kMs = 1'000'000, kSecond = 1000 * kMs;
constexpr auto kBounds = std::to_array<int64_t>(
    {kMs, 5 * kMs / 2, 5 * kMs, 10 * kMs, 25 * kMs, 50 * kMs, 100 * kMs, 250 * kMs, 500 * kMs,
     kSecond, 2500 * kMs, 5 * kSecond, 10 * kSecond, 25 * kSecond, 60 * kSecond, 120 * kSecond,
     300 * kSecond, 600 * kSecond, 1800 * kSecond});

enum class Type : uint8_t { kGauge, kCounter, kHistogram };

struct Family {
  std::string_view name;  // behind "stepscope_goodput_"
  Type type;
  std::string_view help;
};

enum Name : size_t {
  kSeconds,
  kElapsed,
  kRatio,
  kWindowRatio,
  kRunning,
  kAttempts,
  kDisruptions,
  kStep,
  kProductiveStep,
  kOpenStep,
  kLastStepTime,
  kIdealStepTime,
  kStepTime,
  kSilence,
  kCheckpointAge,
  kCheckpointSteps,
  kTokens,
  kFlops,
  kEvents,
  kOdd,
  kIngest,
  kNames
};

// In the order of Name.
constexpr std::array<Family, kNames> kFamilies = {{
    {"seconds", Type::kGauge,
     "Time of the job by bucket; all buckets sum up to elapsed_seconds. A gauge, since a restart "
     "turns productive time into wasted time: use delta(), not rate()."},
    {"elapsed_seconds", Type::kGauge, "Time since the job was submitted or began, until its end."},
    {"ratio", Type::kGauge, "Productive time by elapsed time, of the whole job."},
    {"window_ratio", Type::kGauge, "Productive time by elapsed time, of the last window."},
    {"running", Type::kGauge, "1 until the job ended as planned, then 0."},
    {"attempts", Type::kGauge, "How often the job began."},
    {"disruptions", Type::kCounter, "Attempts that stopped without a plan and were followed."},
    {"step", Type::kGauge, "The step that began last."},
    {"productive_step", Type::kGauge, "The last step that counts as progress."},
    {"open_step_seconds", Type::kGauge, "Since when the open step of a running job is open."},
    {"last_step_seconds", Type::kGauge, "How long the last step took."},
    {"ideal_step_seconds", Type::kGauge, "How long a step takes when nothing disturbs."},
    {"step_seconds", Type::kHistogram, "How long steps took, but for the first of each attempt."},
    {"seconds_since_last_event", Type::kGauge, "Since the last event, heartbeats included."},
    {"checkpoint_age_seconds", Type::kGauge, "Since the last checkpoint of a running job."},
    {"checkpoint_age_steps", Type::kGauge, "Steps begun since the last checkpoint."},
    {"tokens", Type::kCounter, "Tokens that were trained on, as recorded."},
    {"flops", Type::kCounter, "Floating point operations, as recorded."},
    {"events", Type::kCounter, "Events of the job."},
    {"odd_events", Type::kCounter, "Events that were not taken at face value, by why."},
    {"ingest_events", Type::kCounter, "Events that came over HTTP, by what became of them."},
}};

double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

// Numbers as both formats want them: a whole number of seconds as a bound is "1.0".
std::string Exact(double value) {
  std::string text;
  AppendExact(text, value);
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

class Page {
 public:
  void Add(Name family, std::string_view labels, double value, std::string_view suffix = {}) {
    std::string& samples = samples_[family];
    const Family& f = kFamilies[family];
    if (suffix.empty() && f.type == Type::kCounter) suffix = "_total";
    fmt::format_to(std::back_inserter(samples), "stepscope_goodput_{}{}{{{}}} ", f.name, suffix,
                   labels);
    samples += Exact(value);
    samples += '\n';
  }
  void Add(Name family, std::string_view labels, std::optional<double> value) {
    if (value) Add(family, labels, *value);
  }
  void AddTime(Name family, std::string_view labels, std::optional<int64_t> ns) {
    if (ns) Add(family, labels, Seconds(*ns));
  }

  std::string Text(MetricsFormat format) const {
    const bool open = format == MetricsFormat::kOpenMetrics;
    static constexpr std::string_view kTypes[] = {"gauge", "counter", "histogram"};
    std::string text;
    for (size_t k = 0; k < kNames; ++k) {
      if (samples_[k].empty()) continue;
      const Family& f = kFamilies[k];
      const std::string name = fmt::format("stepscope_goodput_{}{}", f.name,
                                           f.type == Type::kCounter && !open ? "_total" : "");
      fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", name, f.help, name,
                     kTypes[static_cast<size_t>(f.type)]);
      text += samples_[k];
    }
    if (open) text += "# EOF\n";
    return text;
  }

 private:
  std::array<std::string, kNames> samples_;
};

void AddBuckets(Page& page, const std::string& job, const Partition& p) {
  for (size_t b = 0; b < kBuckets; ++b) {
    const auto bucket = static_cast<Bucket>(b);
    if (bucket == Bucket::kExcluded) continue;
    page.Add(kSeconds, fmt::format("{},bucket=\"{}\"", job, Lower(BucketName(bucket))),
             Seconds(p.times[b]));
  }
}

void AddDisruptions(Page& page, const std::string& job, const Partition& p) {
  int64_t announced = 0, in_process = 0, unannounced = 0;
  for (const Disruption& d : p.disruption_list) {
    ++(d.announced ? announced : d.in_process ? in_process : unannounced);
  }
  const auto add = [&](std::string_view kind, int64_t count) {
    page.Add(kDisruptions, fmt::format("{},kind=\"{}\"", job, kind), static_cast<double>(count));
  };
  add("announced", announced);
  add("in_process", in_process);
  add("unannounced", unannounced);
}

void AddStepTimes(Page& page, const std::string& job, const StepClock& clock) {
  page.AddTime(kLastStepTime, job, clock.last());
  page.AddTime(kIdealStepTime, job, clock.ideal());
  for (const int64_t bound : kBounds) {
    page.Add(kStepTime, fmt::format("{},le=\"{}\"", job, Exact(Seconds(bound))),
             static_cast<double>(clock.StepsUpTo(bound)), "_bucket");
  }
  const auto steps = static_cast<double>(clock.steps());
  page.Add(kStepTime, job + ",le=\"+Inf\"", steps, "_bucket");
  page.Add(kStepTime, job, steps, "_count");
  page.Add(kStepTime, job, Seconds(clock.sum()), "_sum");
}

void AddPartition(Page& page, const std::string& label, LiveJob& job, int64_t now) {
  const Partition p = job.accounting.Ask({.at = now});
  AddBuckets(page, label, p);
  page.Add(kElapsed, label, Seconds(p.total()));
  page.Add(kRatio, label, p.goodput());
  for (const auto& [name, size] : kLiveWindows) {
    page.Add(kWindowRatio, fmt::format("{},window=\"{}\"", label, name),
             job.GoodputOfLast(size, now));
  }
  page.Add(kRunning, label, p.running ? 1 : 0);
  page.Add(kAttempts, label, static_cast<double>(p.attempts.size()));
  AddDisruptions(page, label, p);
  if (p.max_productive_step) {
    page.Add(kProductiveStep, label, static_cast<double>(*p.max_productive_step));
  }
  if (p.open_step && job.step_time != kUnknown) {
    page.Add(kOpenStep, label, Seconds(std::max<int64_t>(0, now - job.step_time)));
  }
  if (!p.running || job.checkpoint_time == kUnknown) return;
  page.Add(kCheckpointAge, label, Seconds(std::max<int64_t>(0, now - job.checkpoint_time)));
  if (job.checkpoint_step == kUnknown || job.step == kUnknown) return;
  page.Add(kCheckpointSteps, label,
           std::max(0.0, static_cast<double>(job.step) - static_cast<double>(job.checkpoint_step)));
}

void AddJob(Page& page, const std::string& name, LiveJob& job, int64_t now) {
  if (job.latest == kUnknown || now - job.latest > kForgetAfter) return;
  const std::string label = fmt::format("job=\"{}\"", LabelValue(name));
  if (!job.accounting.empty()) AddPartition(page, label, job, now);
  AddStepTimes(page, label, job.accounting.step_clock());
  if (job.step != kUnknown) page.Add(kStep, label, static_cast<double>(job.step));
  page.Add(kSilence, label, Seconds(std::max<int64_t>(0, now - job.latest)));
  if (job.tokens > 0) page.Add(kTokens, label, static_cast<double>(job.tokens));
  if (job.billion_flops > 0) page.Add(kFlops, label, static_cast<double>(job.billion_flops) * 1e9);
  page.Add(kEvents, label, static_cast<double>(job.events));
  Oddities oddities = job.accounting.oddities();
  oddities.Add(job.oddities);
  for (const Note& note : oddities.Notes()) {
    page.Add(kOdd, fmt::format("{},why=\"{}\"", label, note.name), static_cast<double>(note.count));
  }
}

void AddIngest(Page& page, const IngestCounts& counts) {
  const auto add = [&](std::string_view result, int64_t count) {
    page.Add(kIngest, fmt::format("result=\"{}\"", result), static_cast<double>(count));
  };
  add("stored", counts.stored);
  add("duplicate", counts.duplicates);
  add("unnumbered", counts.unnumbered);
  add("unreadable", counts.unreadable);
  add("no_room", counts.no_room);
}

}  // namespace

std::string LabelValue(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Rune rune = DecodeRune(text, at);
    const std::string_view bytes = text.substr(at, rune.length);
    at += rune.length;
    if (!rune.valid) {
      for (const char c : bytes) out += fmt::format("\\\\x{:02x}", static_cast<uint8_t>(c));
    } else if (bytes == "\n") {
      out += "\\n";
    } else {
      if (bytes == "\\" || bytes == "\"") out += '\\';
      out += bytes;
    }
  }
  return out;
}

std::string MetricsText(std::map<std::string, LiveJob>& jobs, const IngestCounts* ingest,
                        MetricsFormat format, int64_t now) {
  Page page;
  for (auto& [name, job] : jobs) AddJob(page, name, job, now);
  if (ingest != nullptr) AddIngest(page, *ingest);
  return page.Text(format);
}

}  // namespace stepscope::goodput
