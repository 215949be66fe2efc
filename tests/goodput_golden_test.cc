// Runs tests/golden/goodput/*.test through the front door: a job's log, a question, and the whole
// answer.
//
//   # what it shows, and how its numbers follow from the log
//   log                        events as of tests/support/scenario.h, of the job "j"
//     [0] 0 start; 0..100 steps 0..9; 100 end
//   text job.jsonl             a file as it is, for logs of other programs; TIME+5.5 in it is 5.5 s
//     {"job_name": "j", "job_start_time": TIME+0}   after the start, in seconds
//   scheduler sacct.txt        a file of a scheduler, as it is
//   ask at=200 window=10..50   what is asked; see Ask()
//   ----
//   goodput ok 90.0% ...       the answer: each report with its metrics, tables without columns
//   that
//                              are empty or 0, the points at which a series changes, findings,
//                              notes
//
// Times are seconds. Several questions may follow one another; a new log begins a new case.
// STEPSCOPE_GOLDEN_UPDATE=1 writes what came out, as for tests/golden.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "goodput/events/event_lines.h"
#include "report/phrase_format.h"
#include "stepscope/goodput_report.h"
#include "tests/goodput_checks.h"
#include "tests/ledger.h"
#include "tests/paths.h"
#include "tests/scratch.h"
#include "tests/support/scenario.h"

namespace stepscope::testing::goodput_golden_test {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct InputText {
  std::string kind, name, text;  // kind: log, text or scheduler
};

struct Question {
  size_t first = 0, last = 0;  // of its answer, as [first, last) into the lines
  std::string options;
  std::vector<InputText> inputs;
};

struct GoldenFile {
  Lines lines;
  std::vector<Question> questions;
};

GoldenFile Read(const std::string& path) {
  GoldenFile file;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  std::vector<InputText> inputs;
  bool asked = false;
  for (size_t k = 0; k < file.lines.size(); ++k) {
    const std::string& line = file.lines[k];
    const std::string kind = line.substr(0, line.find(' '));
    const std::string rest = line.size() > kind.size() ? line.substr(kind.size() + 1) : "";
    if (kind == "log" || kind == "text" || kind == "scheduler") {
      if (std::exchange(asked, false)) inputs.clear();
      inputs.push_back({kind, rest.empty() ? "log.jsonl" : rest, ""});
    } else if (line.starts_with("  ") && !asked) {
      if (inputs.empty()) throw std::runtime_error(path + ": a line before its log");
      inputs.back().text += line.substr(2) + "\n";
    } else if (kind == "ask") {
      asked = true;
      size_t end = k + 2;  // after "----"
      const auto ends = [&](const std::string& l) {
        return l.starts_with("ask") || l.starts_with("log") || l.starts_with("text ") ||
               l.starts_with("scheduler ") || l.starts_with("#");
      };
      while (end < file.lines.size() && !ends(file.lines[end])) ++end;
      while (end > k + 2 && file.lines[end - 1].empty()) --end;
      file.questions.push_back({k + 2, end, rest, inputs});
      k = end - 1;
    }
  }
  return file;
}

// The log as recorders write it: what follows "start" names all events of that process.
std::string LogOf(const std::string& scenario) {
  std::string lines;
  std::map<std::string, std::string> attempts;
  for (goodput::Event& event : goodput::EventsOf(scenario)) {
    if (event.kind == goodput::EventKind::kJobStart) {
      attempts.try_emplace(event.writer, event.attempt);
    }
    if (!event.writer.empty()) event.attempt = attempts[event.writer];
    event.job = "j";
    goodput::AppendJsonLine(event, lines);
  }
  return lines;
}

std::string WithTimes(const std::string& text) {
  static const std::regex time("TIME\\+([0-9.]+)");
  std::string out;
  auto at = text.cbegin();
  for (std::sregex_iterator m(text.begin(), text.end(), time), end; m != end; ++m) {
    out.append(at, (*m)[0].first);
    const double seconds = std::stod((*m)[1].str());
    out += fmt::format("{:.6f}", 1'780'000'000 + seconds);
    at = (*m)[0].second;
  }
  return out.append(at, text.cend());
}

std::pair<int64_t, int64_t> TimesOf(const std::string& span) {
  const size_t dots = span.find("..");
  return {goodput::ScenarioTime(std::stod(span.substr(0, dots))),
          goodput::ScenarioTime(std::stod(span.substr(dots + 2)))};
}

// at=S window=S..S exclude=S..S, ml (as the reference library counts), exclude (with none),
// ideal=S, steps=N, chips=N, price=X, hours (the report chip_hours), job=NAME, only=PART,PART (of
// the answer).
GoodputReportOptions Ask(const std::string& text, std::vector<std::string> files,
                         std::vector<std::string> schedulers, std::string& only) {
  GoodputReportOptions options{.files = std::move(files), .at = goodput::ScenarioTime(20'000)};
  options.scheduler_files = std::move(schedulers);
  options.utc_offset = 0;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string key = word.substr(0, equals);
    const std::string value = equals < word.size() ? word.substr(equals + 1) : "";
    if (key == "at") {
      options.at = goodput::ScenarioTime(std::stod(value));
    } else if (key == "window") {
      options.window = TimesOf(value);
    } else if (key == "exclude") {
      if (!options.exclusions) options.exclusions.emplace();
      if (!value.empty()) options.exclusions->push_back(TimesOf(value));
    } else if (key == "ml") {
      options.mode = GoodputMode::kMlGoodput;
    } else if (key == "ideal") {
      options.ideal_step_time = static_cast<int64_t>(std::stod(value) * 1e9);
    } else if (key == "steps") {
      options.most_steps = std::stoll(value);
    } else if (key == "chips") {
      options.chips = std::stod(value);
    } else if (key == "price") {
      options.price_per_chip_hour = std::stod(value);
    } else if (key == "hours") {
      options.chip_hours = true;
    } else if (key == "only") {
      only = value;
    } else if (key == "job") {
      options.job = value;
    } else if (key == "scheduler_job") {
      options.scheduler_job = value;
    } else {
      throw std::runtime_error("ask what? " + word);
    }
  }
  return options;
}

std::string Said(const Cell& cell, Unit unit) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return text->empty() ? "-" : *text;
  double number = Number(cell);
  if (unit == Unit::kUnixTime) number -= static_cast<double>(goodput::kScenarioStart);
  if (unit == Unit::kNanoseconds || unit == Unit::kUnixTime) number /= 1e9;
  return fmt::format("{:.9g}", number);
}

bool IsNothing(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return *whole == 0;
  if (const auto* real = std::get_if<double>(&cell)) return *real == 0;
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr || text->empty();
}

void Describe(const Table& table, Lines& lines) {
  if (table.rows.empty()) return;
  Lines rows(table.rows.size() + 1);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (column.key == "meaning" || column.key == "kind") continue;
    if (std::ranges::all_of(table.rows, [&](const auto& row) { return IsNothing(row[c]); })) {
      continue;
    }
    Lines cells = {column.key};
    for (const auto& row : table.rows) cells.push_back(Said(row[c], column.unit));
    const size_t width = std::ranges::max(cells, {}, &std::string::size).size();
    for (size_t r = 0; r < cells.size(); ++r) rows[r] += fmt::format("  {:<{}}", cells[r], width);
  }
  lines.push_back(" " + table.key);
  for (std::string& row : rows) lines.push_back(row.substr(0, row.find_last_not_of(' ') + 1));
}

// The points where the value changes, and how many points there are.
void Describe(const Series& series, Lines& lines) {
  if (series.points.empty()) return;
  std::string text = fmt::format(" {} ({} points):", series.key, series.points.size());
  std::optional<double> before;
  for (const auto& [x, y] : series.points) {
    if (before == y) continue;
    text += fmt::format("{} {} {:.4g}", before ? "," : "", Said(x, series.x_unit), y);
    before = y;
  }
  lines.push_back(text);
}

// Texts of about a line's length.
void Wrap(const std::string& first, const Lines& words, Lines& lines) {
  std::string line = first;
  for (const std::string& word : words) {
    if (line.size() + word.size() > 98) lines.push_back(std::exchange(line, "   "));
    line += " " + word;
  }
  lines.push_back(line);
}

// All that is answered, or of `only` some parts: "attempts,findings", keys of tables or these
// words.
Lines Described(const Result<ReportSet>& answer, const std::string& only) {
  if (!answer) return {"error: " + answer.error().what + " " + answer.error().where};
  const auto wanted = [&](const std::string& part) {
    return only.empty() || ("," + only + ",").contains("," + part + ",");
  };
  Lines lines;
  for (const Report& report : answer->reports) {
    if (wanted("headline"))
      lines.push_back(fmt::format(
          "{} {} {}", report.analysis, StatusName(report.status),
          report.why.empty() ? fmt::to_string(report.headline) : fmt::to_string(report.why)));
    Lines words;
    for (const Metric& metric : report.metrics) {
      words.push_back(fmt::format("{} {}{}", metric.key, Said(metric.value, metric.unit),
                                  &metric == &report.metrics.back() ? "" : ","));
    }
    if (!words.empty() && wanted("metrics")) Wrap("", words, lines);
    for (const Table& table : report.tables) {
      if (wanted(table.key)) Describe(table, lines);
    }
    for (const Series& series : report.series) {
      if (wanted("series")) Describe(series, lines);
    }
    for (const Finding& f : report.findings) {
      if (!wanted("findings")) continue;
      lines.push_back(fmt::format(" [{} {}] {} ({}): {}", SeverityName(f.severity),
                                  Said(f.impact, Unit::kNanoseconds), f.message, f.because,
                                  f.hint));
    }
    for (const Note& note : report.notes) {
      if (wanted("notes"))
        lines.push_back(fmt::format(" {} {}: {}", note.name, note.count, note.message));
    }
  }
  for (const Note& note : answer->run.notes) {
    if (wanted("notes"))
      lines.push_back(fmt::format("{} {}: {}", note.name, note.count, note.message));
  }
  if (lines.empty()) lines.push_back("nothing");
  return lines;
}

Lines Answer(const Question& question) {
  const ScratchFolder folder;
  std::vector<std::string> files, schedulers;
  for (const InputText& input : question.inputs) {
    const bool is_log = input.kind == "log";
    const std::string path =
        folder.Write(input.name, is_log ? LogOf(input.text) : WithTimes(input.text));
    (input.kind == "scheduler" ? schedulers : files).push_back(path);
  }
  std::string only;
  const GoodputReportOptions options = Ask(question.options, files, schedulers, only);
  return Described(GoodputReport(options), only);
}

Lines Paths() {
  Lines paths;
  for (const auto& entry : fs::directory_iterator(SourceDir() + "/tests/golden/goodput")) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

class GoldenGoodput : public ::testing::TestWithParam<std::string> {};

void Update(GoldenFile file, const std::string& path) {
  for (auto q = file.questions.rbegin(); q != file.questions.rend(); ++q) {
    const Lines answer = Answer(*q);
    const auto begin = file.lines.begin();
    const auto first = begin + static_cast<std::ptrdiff_t>(q->first);
    const auto rest = file.lines.erase(first, begin + static_cast<std::ptrdiff_t>(q->last));
    file.lines.insert(rest, answer.begin(), answer.end());
  }
  std::ofstream(path) << fmt::format("{}\n", fmt::join(file.lines, "\n"));
}

TEST_P(GoldenGoodput, Answers) {
  const GoldenFile file = Read(GetParam());
  ASSERT_FALSE(file.questions.empty());
  if (std::getenv("STEPSCOPE_GOLDEN_UPDATE") != nullptr) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << "expectations are not to be rewritten in CI";
    return Update(file, GetParam());
  }
  for (const Question& q : file.questions) {
    const auto begin = file.lines.begin();
    const Lines expected(begin + static_cast<std::ptrdiff_t>(q.first),
                         begin + static_cast<std::ptrdiff_t>(q.last));
    ASSERT_EQ(fmt::format("{}", fmt::join(expected, "\n")),
              fmt::format("{}", fmt::join(Answer(q), "\n")))
        << "line " << q.first;
  }
}

// A ledger that has rolled up half of the log has the same numbers. It forgets what only findings
// and notes tell: silences, and lengths of steps by their ends.
TEST_P(GoldenGoodput, IsRolledUp) {
  const std::string only = "headline,metrics,buckets,custom,segments,attempts,disruptions,series";
  std::string before;
  for (const Question& q : Read(GetParam()).questions) {
    const auto log = std::ranges::find(q.inputs, "log", &InputText::kind);
    const bool small = q.options.contains("only=");  // a threshold: there are many
    if (small || log == q.inputs.end() || log->text == std::exchange(before, log->text)) continue;
    const ScratchFolder folder;
    const std::string file = folder.Write("log.jsonl", LogOf(log->text));
    const std::string store = folder.path() + "/ledger";
    const auto at = goodput::ScenarioTime(20'000);
    std::vector<int64_t> times;
    for (const goodput::Event& event : EventsOf(file)) times.push_back(goodput::TimeOf(event));
    std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
    const int64_t half = times[times.size() / 2] + 1;
    ASSERT_TRUE(GoodputImport(store, {file}));
    ASSERT_TRUE(GoodputCompact({.store = store, .now = half}));
    EXPECT_EQ(Described(GoodputReport({.store = store, .at = at}), only),
              Described(GoodputReport({.files = {file}, .at = at}), only))
        << "line " << q.first;
  }
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  return fs::path(info.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenGoodput, ::testing::ValuesIn(Paths()), TestName);

}  // namespace
}  // namespace stepscope::testing::goodput_golden_test
