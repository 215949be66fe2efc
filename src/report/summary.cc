// Chooses the contents of the first screen from the reports of an answer.
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "report/columns.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/lookup.h"
#include "report/summary_ranks.h"

namespace stepscope {
namespace {

constexpr size_t kMostCauses = 3;

// Of a comparison, that of the run after.
const Metric* MetricNow(const Report* report, std::string_view key) {
  const Metric* metric = FindMetric(report, key);
  return metric != nullptr ? metric : FindMetric(report, fmt::format("{}_b", key));
}

std::optional<int64_t> FindNumber(const Report* report, std::string_view key) {
  return WholeIn(MetricNow(report, key));
}

std::string FindText(const Report* report, std::string_view key) {
  const Metric* metric = MetricNow(report, key);
  const auto* text = metric == nullptr ? nullptr : std::get_if<std::string>(&metric->value);
  return text == nullptr ? "" : *text;
}

// The distinct texts of a column, in order.
std::vector<std::string> TextsOf(const Table* table, std::string_view key) {
  std::vector<std::string> texts;
  const auto column = table == nullptr ? std::nullopt : FindColumn(*table, key);
  if (!column) return texts;
  for (const auto& row : table->rows) {
    const auto* text = std::get_if<std::string>(&row[*column]);
    if (text != nullptr && !text->empty() && std::ranges::find(texts, *text) == texts.end())
      texts.push_back(*text);
  }
  return texts;
}

// "PyTorch"; "JAX -> PyTorch" of two runs.
std::string FrameworksOf(const ReportSet& answer) {
  const Report* breakdown = FindReport(answer, "breakdown");
  const std::string before = FindText(breakdown, "framework_a"),
                    now = FindText(breakdown, "framework");
  return before.empty() || before == now ? now : before + " -> " + now;
}

// "PyTorch on NVIDIA H100 80GB HBM3".
Phrase SayPlatform(const ReportSet& answer) {
  const Report* overview = FindReport(answer, "overview");
  const std::string framework = FrameworksOf(answer);
  const auto chips = TextsOf(FindTable(overview, "devices"), "name");
  if (chips.empty()) return framework;
  const Phrase chip = Phrase::Name(chips.front());
  return chips.size() > 1 ? Say("{framework} on {chip} and others", framework, chip)
                          : Say("{framework} on {chip}", framework, chip);
}

// How many ranks count, of those that were read.
size_t CountRanks(const ReportSet& answer) {
  const auto read = static_cast<size_t>(std::max<int64_t>(answer.run.ranks, 0));
  const Table* table = FindTable(FindReport(answer, "breakdown"), "ranks");
  if (table == nullptr) return read;
  const auto rank = FindColumn(*table, "rank");
  if (!rank) return std::min<size_t>(read, 1);  // a comparison of two ranks
  std::set<int64_t> counted;
  for (const auto& row : table->rows) {
    if (const auto number = WholeIn(row[*rank])) counted.insert(*number);
  }
  return counted.empty() ? read : std::min(read, counted.size());
}

// Devices that work, and recordings of them: a rank may have several of one device.
struct DeviceCount {
  size_t devices = 0, recordings = 0;
};
DeviceCount CountDevices(const ReportSet& answer) {
  const Report* overview = FindReport(answer, "overview");
  const auto active =
      static_cast<size_t>(std::max<int64_t>(FindNumber(overview, "devices").value_or(0), 0));
  const Table* table = FindTable(overview, "devices");
  if (table == nullptr || table->rows.size() != active) return {active, active};
  const auto rank = FindColumn(*table, "rank"), device = FindColumn(*table, "device");
  if (!rank || !device) return {active, active};
  std::set<std::pair<int64_t, int64_t>> devices;
  for (const auto& row : table->rows)
    devices.emplace(WholeIn(row[*rank]).value_or(-1), WholeIn(row[*device]).value_or(-1));
  return {devices.size(), active};
}

Phrase SayRanksAndHosts(const ReportSet& answer) {
  const auto read = static_cast<size_t>(std::max<int64_t>(answer.run.ranks, 0));
  const size_t ranks = CountRanks(answer);
  const auto hosts = TextsOf(FindTable(FindReport(answer, "layout"), "ranks"), "host");
  Phrase text = ranks == read ? Plural(ranks, "rank")
                              : Say("{counted} of {ranks}", ranks, Plural(read, "rank"));
  if (hosts.size() > 1) text = Say("{ranks} on {hosts}", text, Plural(hosts.size(), "host"));
  const auto [devices, recordings] = CountDevices(answer);
  if (devices > read) return Say("{ranks} with {devices}", text, Plural(devices, "device"));
  if (recordings > read)
    return Say("{ranks} with {devices}", text, Plural(recordings, "recording"));
  return text;
}

// "job" of "/data/job/".
std::string LastPart(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.find_last_of('/') + 1));
}

// "job"; "before -> after" of two runs.
struct Names {
  Phrase before, after;
};
Names NamesOf(const ReportSet& answer) {
  constexpr std::string_view kBetween = " vs ";
  const std::string& name = answer.run.name;
  if (!answer.run.before.empty()) {  // of one run, whose name stands twice
    const size_t size = (name.size() - std::min(name.size(), kBetween.size())) / 2;
    const Phrase run = Phrase::Name(LastPart(std::string_view(name).substr(0, size))) + " ";
    return {run + answer.run.before, run + answer.run.after};
  }
  const size_t at = FindReport(answer, "compare") == nullptr ? name.npos : name.find(kBetween);
  if (at == name.npos) return {{}, Phrase::Name(LastPart(name))};
  Names names{Phrase::Name(LastPart(name.substr(0, at))),
              Phrase::Name(LastPart(name.substr(at + kBetween.size())))};
  if (names.before == names.after) names = {"before", "after"};
  return names;
}

void ChooseCauses(const ReportSet& answer, Summary& summary) {
  const std::vector<const Finding*> all = FindingsInOrder(answer);
  for (const Finding* finding : all) {
    if (summary.causes.size() == kMostCauses) break;
    if (!WorthALook(*finding)) continue;
    // What is low is told where there is nothing else.
    if (finding->severity == Severity::kLow && !summary.causes.empty()) break;
    summary.causes.push_back({&ReportOf(answer, *finding), finding, SayWorth(*finding)});
  }
  summary.more = all.size() - summary.causes.size();
}

// "steps 2..4", "step 5".
Phrase SaySteps(int64_t first, int64_t last) {
  return first == last ? Say("step {step}", first) : Say("steps {first}..{last}", first, last);
}

// The first and last step of any rank.
std::optional<std::pair<int64_t, int64_t>> StepsOf(const ReportSet& answer) {
  const Table* steps = FindTable(FindReport(answer, "overview"), "steps");
  if (steps == nullptr || steps->rows.empty()) return std::nullopt;
  const auto number = FindColumn(*steps, "step");
  if (!number) return std::nullopt;  // of a comparison of two steps
  std::optional<std::pair<int64_t, int64_t>> all;
  for (const auto& row : steps->rows) {
    const auto step = WholeIn(row[*number]);
    if (!step) continue;
    all = all ? std::pair(std::min(all->first, *step), std::max(all->second, *step))
              : std::pair(*step, *step);
  }
  return all;
}

// A run of a comparison, whose steps count from a change on where it has one.
Phrase SayRunSince(const Phrase& run, std::optional<int64_t> since) {
  return since ? Say("{run} since step {step}", run, *since) : run;
}

SummaryParts ReadParts(const ReportSet& answer) {
  const Report* breakdown = FindReport(answer, "breakdown");
  const Table* table = FindTable(breakdown, "parts");
  SummaryParts step;
  if (table == nullptr) return step;
  const auto time = FindNumber(breakdown, "step_time");
  step.time = time.value_or(FindNumber(breakdown, "recorded").value_or(0));
  const size_t ranks = std::max<size_t>(CountRanks(answer), 1);
  step.title = time ? "A step" : "The recording";
  if (ranks > 1) step.title = Say("{what}, mean of {ranks}", step.title, Plural(ranks, "rank"));
  const auto since = WholeIn(FindMetric(breakdown, "since_step"));
  const auto steps = StepsOf(answer);
  if (since && steps) {
    step.time_before = FindNumber(breakdown, "before");
    step.before = SaySteps(steps->first, FindNumber(breakdown, "last_before").value_or(*since));
    step.now = SaySteps(*since, steps->second);
  }
  const Names names = NamesOf(answer);
  const bool compared = !FindColumn(*table, "time");
  if (compared) {
    step.before = SayRunSince(names.before, WholeIn(FindMetric(breakdown, "since_step_a")));
    step.now = SayRunSince(names.after, WholeIn(FindMetric(breakdown, "since_step_b")));
    step.time_before = FindNumber(breakdown, "step_time_a");
    if (!step.time_before) step.time_before = FindNumber(breakdown, "recorded_a");
  }
  const ColumnOf title(*table, "part"), now(*table, compared ? "time_b" : "time"),
      before(*table, compared ? "time_a" : "before");
  const auto least =
      kLeastPart * static_cast<double>(std::max(step.time, step.time_before.value_or(0)));
  for (const auto& row : table->rows) {
    SummaryPart part{.title = title.Text(row), .before = WholeIn(before(row))};
    part.now = WholeIn(now(row)).value_or(0);
    if (static_cast<double>(std::max(part.now, part.before.value_or(0))) >= least)
      step.parts.push_back(std::move(part));
  }
  return step;
}

// "Not recorded: Python stacks, memory."
Phrase SayNotRecorded(const ReportSet& answer) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kRecorded = {{
      {"temporal_breakdown", "device activity"},
      {"operators", "host operators"},
      {"shapes", "input shapes"},
      {"python", "Python stacks"},
      {"memory_timeline", "memory"},
  }};
  Phrase all;
  for (const auto& [analysis, what] : kRecorded) {
    const Report* report = FindReport(answer, analysis);
    if (report == nullptr || report->status != Status::kUnavailable) continue;
    if (!all.empty()) all += ", ";
    all += what;
  }
  return all.empty() ? all : Say("Not recorded: {what}.", all);
}

// "Clocks of ranks agree within 508 ns."
Phrase SayClocks(const ReportSet& answer) {
  const auto error = FindNumber(FindReport(answer, "collectives"), "clock_error_max");
  if (!error || *error == 0) return {};
  return Say("Clocks of ranks agree within {time}.", HumanNanoseconds(*error));
}

// Where a rank has several devices.
Phrase SayDevices(const ReportSet& answer) {
  const auto ranks = static_cast<size_t>(std::max<int64_t>(answer.run.ranks, 0));
  if (CountDevices(answer).devices <= ranks || FindReport(answer, "breakdown") == nullptr)
    return {};
  return "A part of a step counts while any device of its rank does it.";
}

// "1 first step and 2 slow steps": those that no mean of the screen counts; empty: none. `side`:
// "_a" and "_b" in a comparison.
Phrase StepsLeftOut(const ReportSet& answer, std::string_view side) {
  const auto count = [&](std::string_view key) {
    const auto* breakdown = FindReport(answer, "breakdown");
    const int64_t steps = FindNumber(breakdown, fmt::format("{}{}", key, side)).value_or(0);
    return static_cast<size_t>(std::max<int64_t>(steps, 0));
  };
  const size_t slow = count("slow_steps"), first = count("warm_up_steps");
  if (slow + first == 0) return {};
  const Phrase slow_steps = Plural(slow, "slow step"), first_steps = Plural(first, "first step");
  if (slow > 0 && first > 0) return Say("{first_steps} and {slow_steps}", first_steps, slow_steps);
  return slow > 0 ? slow_steps : first_steps;
}

// "The means leave out 2 slow steps before and 1 first step after."
Phrase SayLeftOut(const ReportSet& answer) {
  if (FindReport(answer, "compare") == nullptr) {
    const Phrase steps = StepsLeftOut(answer, "");
    return steps.empty() ? steps : Say("The means leave out {steps}.", steps);
  }
  const Phrase before = StepsLeftOut(answer, "_a"), after = StepsLeftOut(answer, "_b");
  if (before.empty())
    return after.empty() ? after : Say("The means leave out {steps} after.", after);
  if (after.empty()) return Say("The means leave out {steps} before.", before);
  return Say("The means leave out {before} before and {after} after.", before, after);
}

// "Partial: whatif, stragglers."
Phrase SayPartial(const ReportSet& answer) {
  std::string all;
  for (const Report& report : answer.reports) {
    if (report.status != Status::kPartial) continue;
    all += (all.empty() ? "" : ", ") + report.analysis;
  }
  return all.empty() ? Phrase() : Say("Partial: {analyses}.", Phrase::Name(all));
}

// Of a directory that holds profiles of several times.
Phrase SayOlderProfiles(const ReportSet& answer) {
  const int64_t count = CountOfNotes(answer.run, "other_profiles");
  return count == 0 ? Phrase() : Say("Older profiles left out: {count}.", count);
}

// Of a directory that holds more than the folders of ranks.
Phrase SayOtherFolders(const ReportSet& answer) {
  const auto note = std::ranges::find(answer.run.notes, "other_folders", &Note::name);
  if (note == answer.run.notes.end()) return {};
  return Say("Traces in {folders} left out: {first}{more}.",
             Plural(static_cast<size_t>(note->count), "other folder"),
             Phrase::Name(LastPart(note->where)), note->count > 1 ? ", ..." : "");
}

std::vector<Phrase> SayUnseen(const ReportSet& answer) {
  std::vector<Phrase> said;
  for (Phrase sentence :
       {SayOlderProfiles(answer), SayOtherFolders(answer), SayDevices(answer), SayLeftOut(answer),
        SayNotRecorded(answer), SayPartial(answer), SayClocks(answer)}) {
    if (!sentence.empty()) said.push_back(std::move(sentence));
  }
  return said;
}

}  // namespace

Phrase SayWorth(const Finding& f) {
  const bool replayed = f.worth && f.impact > 0;
  if (!replayed && f.share <= 0) return {};
  if (!replayed && f.per_step <= 0)
    return Say("up to {time} ({share})", HumanNanoseconds(f.impact), HumanRatio(f.share));
  Phrase time = HumanNanoseconds(replayed ? f.worth->saved : f.per_step);
  if (!replayed) time = Say("up to {time}", time);
  // A share would be one of all steps.
  if (f.since) return Say("{time} per step since step {since}", time, *f.since);
  const double share = replayed ? ShareOf(*f.worth) : f.share;
  return Say("{time} per step ({share})", time, HumanRatio(share));
}

Phrase SubjectOf(const ReportSet& answer) {
  const Names names = NamesOf(answer);
  Phrase text = names.before.empty() ? names.after : names.before + " -> " + names.after;
  if (FindReport(answer, "goodput") != nullptr) return text;  // a job's ranks are no traces
  text = text + ": " + SayRanksAndHosts(answer);
  const auto add = [&](const Phrase& part) {
    if (!part.empty()) text = text + ", " + part;
  };
  if (const auto steps = FindNumber(FindReport(answer, "steps"), "steps"))
    add(Plural(static_cast<size_t>(*steps), "step"));
  add(SayPlatform(answer));
  add(FindText(FindReport(answer, "layout"), "grid"));
  return text;
}

SaidCause SayCause(const Finding& finding, bool told) {
  if (finding.because.empty() || !told) return {finding.message, finding.because};
  return {Capitalized(finding.because), {}};
}

Summary Summarize(const ReportSet& answer) {
  Summary summary{.subject = SubjectOf(answer), .verdict = answer.verdict};
  ChooseCauses(answer, summary);
  summary.step = ReadParts(answer);
  summary.ranks = ReadRanks(answer, summary.step.time);
  summary.unseen = SayUnseen(answer);
  return summary;
}

}  // namespace stepscope
