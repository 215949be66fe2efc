// Reads times and intervals, and asks for events alone or with traces.
#include "cli/goodput_question.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/saturate.h"
#include "base/time_units.h"
#include "cli/answer.h"
#include "cli/parser.h"
#include "stepscope/watch.h"

namespace stepscope::cli {
namespace {

// The error about an option's value, with both.
std::unexpected<Error> Wrong(Error error, std::string_view option, const std::string& value) {
  error.where = std::string(option) + " " + value;
  return std::unexpected(std::move(error));
}

Result<void> ReadTimes(const GoodputQuestion& question, GoodputReportOptions& options) {
  if (!question.at.empty()) {
    const auto at = ParseGoodputTime(question.at);
    if (!at) return Wrong(at.error(), "--at", question.at);
    options.at = *at;
  }
  if (!question.window.empty()) {
    const auto window = ParseGoodputInterval(question.window);
    if (!window) return Wrong(window.error(), "--window", question.window);
    options.window = *window;
  }
  for (const std::string& text : question.exclude) {
    if (!options.exclusions) options.exclusions.emplace();
    if (text == "none") continue;
    const auto exclusion = ParseGoodputInterval(text);
    if (!exclusion) return Wrong(exclusion.error(), "--exclude", text);
    options.exclusions->push_back(*exclusion);
  }
  return {};
}

Result<GoodputReportOptions> ToOptions(const GoodputQuestion& question) {
  auto options = ReadProductivityFlags(question.productivity);
  if (!options) return options;
  options->files = question.events;
  options->store = question.store;
  options->job = question.job;
  if (question.mode == "ml-goodput") options->mode = GoodputMode::kMlGoodput;
  options->ideal_step_time = RoundToInt64(question.ideal_step_time_s * kSecond);
  options->most_steps = question.most_steps;
  options->max_input = question.max_input;
  options->stop = question.stop;
  if (const auto read = ReadTimes(question, *options); !read) return std::unexpected(read.error());
  return options;
}

// The answer about the hang goes along, with what could not be read of it.
void AddHang(ReportSet hang, ReportSet& answer) {
  answer.verdict += " ";
  answer.verdict += hang.verdict;
  std::ranges::move(hang.reports, std::back_inserter(answer.reports));
  std::ranges::move(hang.run.notes, std::back_inserter(answer.run.notes));
}

}  // namespace

void AddGoodputEvents(Command& command, GoodputQuestion& question) {
  command.Take("--events", question.events);
  command.Take("--store", question.store).Excludes("--events");
  command.Take("--job", question.job);
  command.Take("--at", question.at);
  command.Take("--window", question.window);
  command.Take("--exclude", question.exclude);
  command.Take("--mode", question.mode).Choices({"partition", "ml-goodput"});
  command.Take("--ideal-step-time", question.ideal_step_time_s).Range(1e-6, 1e9).Needs("--mode");
  command.Take("--most-steps", question.most_steps).Range(1, 1e12).Needs("--mode");
  AddMaxInput(command, question.max_input);
}

void AddGoodputContext(Command& command, GoodputQuestion& question) {
  AddProductivityFlags(command, question.productivity);
  command.Take("--traces", question.traces);
  command.Take("--watched", question.watched);
  command.Take("--hang", question.hang);
  command.Take("--tokens-per-step", question.walk.tokens_per_step)
      .Help("Tokens per step of all ranks, in --traces")
      .Needs("--traces")
      .Needs("--model");
}

Result<ReportSet> AnswerGoodput(const GoodputQuestion& question) {
  auto options = ToOptions(question);
  if (!options) return std::unexpected(options.error());
  WatchedRecords recorded;
  options->on_watched = [&](int64_t time, const std::string& text) { recorded.Take(time, text); };
  std::optional<ReportSet> hang;
  if (!question.hang.empty()) {
    auto found = FindHang(std::vector{question.hang}, {.stop = question.stop});
    if (!found) return std::unexpected(found.error());
    hang = std::move(*found);
    options->hang = HangCauseOf(*hang);
  }
  auto answer = question.traces.empty() ? GoodputReport(*options)
                                        : GoodputWalk(*options, question.traces, question.walk);
  if (answer && hang) AddHang(std::move(*hang), *answer);
  if (!answer || (question.watched.empty() && recorded.empty())) return answer;
  auto watched = question.watched.empty() ? Result<Report>(recorded.ReportOf())
                                          : WatchedReport(question.watched);
  if (!watched) return std::unexpected(watched.error());
  AddWatched(std::move(*watched), *answer);
  return answer;
}

Result<void> ReadGoodputQuestion(const std::vector<std::string>& words, GoodputQuestion& question) {
  Command command("stepscope goodput analyze", "");
  AddGoodputEvents(command, question);
  AddGoodputContext(command, question);
  const auto parsed = Parse(command, words);
  if (!parsed) return std::unexpected(parsed.error());
  if (parsed->wants_help) return std::unexpected(Error{"unknown option '--help'", "", ""});
  return {};
}

}  // namespace stepscope::cli
