// Converts rows of sacct and records of scontrol to allocations.
#include "goodput/scheduler/slurm.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/match_any.h"
#include "base/time_units.h"
#include "goodput/scheduler/allocation.h"
#include "goodput/scheduler/calendar.h"

namespace stepscope::goodput {
namespace {

constexpr std::string_view kSource = "slurm";

// One job as texts by column.
using Fields = std::map<std::string_view, std::string_view, std::less<>>;

std::string_view FieldOf(const Fields& fields, std::string_view key) {
  const auto at = fields.find(key);
  return at == fields.end() ? std::string_view() : at->second;
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Removes and returns the text before `separator`, or all of it.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return taken;
}

// Parses a time in the cluster's zone, or seconds since 1970, as ns. Absent for "Unknown", "None"
// and anything else.
std::optional<int64_t> ParseTime(std::string_view text, const std::optional<int64_t>& utc_offset) {
  constexpr int64_t kLatest = int64_t{1} << 33;  // seconds: the year 2242
  const auto seconds = ParseNumber(text) ? ParseNumber(text) : SecondsOf(text, utc_offset);
  if (!seconds || *seconds <= 0 || *seconds >= kLatest) return std::nullopt;
  return *seconds * kSecond;
}

// "[DD-]HH:MM:SS" or seconds, as ns; 0 if it is neither.
int64_t DurationOf(std::string_view text) {
  int64_t days = 0;
  if (text.contains('-')) days = ParseNumber(TakeUntil(text, '-')).value_or(0);
  int64_t seconds = 0;
  while (!text.empty()) {
    const auto part = ParseNumber(TakeUntil(text, ':'));
    if (!part || *part < 0 || *part > 1'000'000'000) return 0;
    seconds = seconds * 60 + *part;
    if (seconds > 100'000'000'000) return 0;
  }
  return (std::clamp<int64_t>(days, 0, 36'500) * 86'400 + std::min<int64_t>(seconds, 1 << 30)) *
         kSecond;
}

// The chips of "cpu=8,gres/gpu:a100=4,gres/gpu=4,node=1"; 0 if there are none.
int64_t ChipsOf(std::string_view tres) {
  int64_t typed = 0;
  while (!tres.empty()) {
    std::string_view item = TakeUntil(tres, ',');
    const std::string_view name = TakeUntil(item, '=');
    const int64_t count = std::clamp<int64_t>(ParseNumber(item).value_or(0), 0, 1 << 30);
    if (name == "gres/gpu") return count;
    if (name.starts_with("gres/gpu:")) typed += count;
  }
  return typed;
}

// What became of a job that is not requeued.
std::string_view OutcomeOf(std::string_view state) {
  if (state.starts_with("COMPLETED")) return "completed";
  if (state.starts_with("CANCELLED")) return "cancelled";
  if (StartsWithAny(state, {"TIMEOUT", "DEADLINE"})) return "timed out";
  if (StartsWithAny(state, {"FAILED", "OUT_OF_MEMORY", "BOOT_FAIL", "NODE_FAIL"})) return "failed";
  return "";
}

class Reader {
 public:
  Reader(const SlurmOptions& options, Notes& note_counts)
      : options_(options), note_counts_(note_counts) {}

  // `restarts`: earlier attempts without a row.
  void Take(const Fields& fields, int64_t restarts) {
    const std::string_view id = FieldOf(fields, fields.contains("JobID") ? "JobID" : "JobId");
    const std::string_view name = FieldOf(fields, "JobName");
    if (id.contains('.')) return;  // a step of a job
    if (!options_.job.empty() && id != options_.job && name != options_.job) {
      return note_counts_.Add(NoteKind::kOtherJob);
    }
    Allocation a = AllocationOf(fields, restarts > 0);
    if (id.empty() || !a.submitted) return note_counts_.Add(NoteKind::kBadLine);
    a.job = name;
    a.id = id;
    if (restarts > 0) note_counts_.Add(NoteKind::kMissingEvents, restarts);
    raw_ids_[a.id] = FieldOf(fields, "JobIDRaw");
    attempts_[a.id].push_back(std::move(a));
  }

  std::vector<ScheduledJob> Jobs() {
    std::vector<ScheduledJob> jobs;
    for (auto& [id, attempts] : attempts_) {
      std::ranges::stable_sort(attempts, {}, &Allocation::submitted);
      for (size_t i = 0; i + 1 < attempts.size(); ++i) attempts[i].comes_back = true;
      jobs.push_back({.slurm = true,
                      .id = id,
                      .raw_id = raw_ids_[id],
                      .name = attempts.front().job,
                      .events = EventsOf(attempts, std::string(kSource)),
                      .rows = std::ssize(attempts)});
    }
    return jobs;
  }

 private:
  std::optional<int64_t> Time(const Fields& fields, std::string_view key) const {
    return ParseTime(FieldOf(fields, key), options_.utc_offset);
  }

  Allocation AllocationOf(const Fields& fields, bool put_back) const {
    const std::string_view state = FieldOf(fields, fields.contains("State") ? "State" : "JobState");
    const bool sacct = fields.contains("State");
    Allocation a{
        .state = std::string(state),
        .submitted = Time(fields, sacct ? "Submit" : "SubmitTime"),
        .eligible = put_back ? std::nullopt : Time(fields, sacct ? "Eligible" : "EligibleTime"),
        .started = Time(fields, sacct ? "Start" : "StartTime"),
        .ended = Time(fields, sacct ? "End" : "EndTime"),
        .paused = DurationOf(FieldOf(fields, "Suspended")),
        .preempted = state.starts_with("PREEMPTED"),
        .comes_back = StartsWithAny(state, {"REQUEUED", "PREEMPTED", "NODE_FAIL"})};
    // scontrol prints the expected start of waiting jobs and the latest end of running ones.
    if (StartsWithAny(state, {"PENDING", "CONFIGURING"})) a.started.reset();
    if (StartsWithAny(state, {"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED"})) a.ended.reset();
    a.outcome = OutcomeOf(state);
    if (StartsWithAny(state, {"OUT_OF_MEMORY", "NODE_FAIL", "BOOT_FAIL"})) a.cause = state;
    if (a.ended && a.started) a.ended = std::max(*a.ended, *a.started);
    for (const std::string_view tres : {"ReqTRES", "AllocTRES", "TRES"}) {
      if (a.chips == 0) a.chips = ChipsOf(FieldOf(fields, tres));
    }
    const auto nodes = ParseNumber(FieldOf(fields, sacct ? "NNodes" : "NumNodes"));
    if (a.chips == 0) a.chips = std::clamp<int64_t>(nodes.value_or(1), 1, 1 << 30);
    return a;
  }

  const SlurmOptions& options_;
  Notes& note_counts_;
  std::map<std::string, std::vector<Allocation>> attempts_;  // by id
  std::map<std::string, std::string> raw_ids_;               // by id
};

std::vector<std::string_view> Split(std::string_view line, char separator) {
  std::vector<std::string_view> parts;
  for (bool more = true; more;) {
    more = line.contains(separator);
    parts.push_back(TakeUntil(line, separator));
  }
  return parts;
}

void ReadTable(std::string_view text, Reader& reader, Notes& note_counts) {
  const auto columns = Split(TakeUntil(text, '\n'), '|');
  while (!text.empty()) {
    const std::string_view line = TakeUntil(text, '\n');
    if (line.empty()) continue;
    const auto values = Split(line, '|');
    if (values.size() != columns.size()) {  // a name contains the separator
      note_counts.Add(NoteKind::kBadLine);
      continue;
    }
    Fields fields;
    for (size_t c = 0; c < columns.size(); ++c) fields[columns[c]] = values[c];
    reader.Take(fields, 0);
  }
}

// The `Key=value` words of a record. Values with spaces are cut; no needed value has any.
Fields WordsOf(std::string_view record) {
  Fields fields;
  while (!record.empty()) {
    const size_t end = record.find_first_of(" \n");
    std::string_view word = record.substr(0, end);
    record.remove_prefix(end == record.npos ? record.size() : end + 1);
    if (!word.contains('=')) continue;
    const std::string_view key = TakeUntil(word, '=');
    fields.try_emplace(key, word);
  }
  return fields;
}

void ReadRecords(std::string_view text, Reader& reader) {
  constexpr std::string_view kNext = "\nJobId=";
  while (!text.empty()) {
    const size_t next = text.find(kNext, 1);
    const Fields fields = WordsOf(text.substr(0, next));
    reader.Take(fields, std::clamp<int64_t>(ParseNumber(FieldOf(fields, "Restarts")).value_or(0), 0,
                                            1 << 20));
    text.remove_prefix(next == text.npos ? text.size() : next + 1);
  }
}

}  // namespace

Result<std::vector<ScheduledJob>> ReadSlurm(std::string_view text, const SlurmOptions& options,
                                            Notes& note_counts) {
  Reader reader(options, note_counts);
  const std::string_view header = text.substr(0, text.find('\n'));
  if (text.starts_with("JobId=")) {
    ReadRecords(text, reader);
  } else if (header.contains("State") && header.contains("Submit") && header.contains("Start") &&
             header.contains('|')) {
    ReadTable(text, reader, note_counts);
  } else {
    return std::unexpected(
        Error{"cannot read scheduler output: neither sacct's table nor scontrol's records", "",
              "sacct -D -X --parsable2 --format=JobID,JobName,State,Submit,Eligible,Start,End,"
              "Suspended,ReqTRES,NNodes; or: scontrol show job"});
  }
  return reader.Jobs();
}

}  // namespace stepscope::goodput
