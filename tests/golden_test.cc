// Runs tests/golden/*/*.test through the front door, as written and in variants that must not
// matter.
//
// STEPSCOPE_GOLDEN_UPDATE=1 writes what came out into the cases that do not hold, and leaves the
// others as they are; the review is of the difference. Where CI is set, it is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "report/phrase_format.h"
#include "stepscope/session.h"
#include "tests/answer.h"
#include "tests/golden_file.h"
#include "tests/golden_xplane.h"
#include "tests/invariants.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace stepscope::testing::golden_test {
namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

const Variant kVariants[] = {
    {.name = "as written"},
    {.name = "shifted in time", .shift = 1'712'345'678'901'234'567},
    {.name = "events shuffled", .shuffle = 7},
    {.name = "streams renumbered", .stream_factor = 3, .stream_offset = 100},
    {.name = "files in reverse", .reverse_files = true},
    {.name = "as XPlane profiles", .xplane = true},
};

std::string CellText(const Cell& cell, const std::string& column, const Variant& variant) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return text->empty() ? "-" : *text;
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{:.6g}", *real);
  const int64_t number = std::get<int64_t>(cell);
  if (column != "stream") return std::to_string(number);
  return std::to_string((number - variant.stream_offset) / variant.stream_factor);
}

Lines Split(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// The rows of a table, only these columns, each as wide as its widest cell.
Lines TableLines(const Table& table, const Lines& columns, const Variant& variant) {
  Lines lines(table.rows.size());
  for (const std::string& column : columns) {
    Lines cells;
    size_t width = 0;
    for (const auto& row : table.rows) {
      cells.push_back(CellText(Row(table, row).At(column), column, variant));
      width = std::max(width, cells.back().size());
    }
    for (size_t r = 0; r < cells.size(); ++r) {
      lines[r] += column == columns.back() ? cells[r] : fmt::format("{:<{}}  ", cells[r], width);
    }
  }
  return lines;
}

// What became of the files, in the form of a table.
Table FileTable(const RunInfo& run) {
  Table table{.key = "files"};
  for (const char* key : {"rank", "window", "events", "gpu_events", "problem"}) {
    table.columns.push_back({.key = key});
  }
  for (const InputFile& f : run.files) {
    table.rows.push_back({f.rank, f.window, f.events, f.gpu_events, f.problem});
  }
  return table;
}

// The points of a curve, in the form of a table.
Table PointTable(const Series& series) {
  Table table{.key = series.key, .columns = {{.key = "x"}, {.key = "y"}}};
  for (const auto& [x, y] : series.points) table.rows.push_back({x, y});
  return table;
}

std::string AllColumns(const Table& table) {
  std::string header = table.key + ":";
  for (const Column& column : table.columns) header += " " + column.key;
  return header;
}

Lines NoteLines(const ReportSet& answer, const Report& report) {
  Lines lines;
  for (const auto* notes : {&answer.run.notes, &report.notes}) {
    for (const Note& note : *notes) lines.push_back(fmt::format("{} {}", note.name, note.count));
  }
  std::ranges::sort(lines);
  return lines;
}

// What the answer says to one header line of an expectation, the header included.
Lines Section(const std::string& header, const ReportSet& answer, const Report& report,
              const Variant& variant) {
  const std::string key = header.substr(0, header.find(':'));
  if (key == "status") return {"status: " + std::string(StatusName(report.status))};
  if (key == "why") return {"why: " + report.why};
  if (key == "headline") return {"headline: " + report.headline};
  Lines lines = {header};
  if (key == "metrics") {
    for (const Metric& metric : report.metrics) {
      lines.push_back(metric.key + " " + CellText(metric.value, metric.key, variant));
    }
    return lines;
  }
  if (key == "findings") {
    for (const Finding& f : report.findings) {
      lines.push_back(fmt::format("[{} {}] {}", SeverityName(f.severity), f.impact, f.message));
      for (const Evidence& e : f.evidence)
        lines.push_back(fmt::format("also {}: {}", e.analysis, e.message));
    }
    return lines;
  }
  std::vector<Table> tables = report.tables;
  if (key == "files") tables = {FileTable(answer.run)};
  for (const Series& series : report.series) tables.push_back(PointTable(series));
  const auto found = std::ranges::find(tables, key, &Table::key);
  const Table* table = found == tables.end() ? nullptr : &*found;
  const Lines rows = key == "notes" ? NoteLines(answer, report)
                     : table == nullptr
                         ? Lines{"no such table"}
                         : TableLines(*table, Split(header.substr(key.size() + 1)), variant);
  lines.insert(lines.end(), rows.begin(), rows.end());
  return lines;
}

bool IsHeader(const std::string& line) {
  const size_t colon = line.find(':');
  return colon != line.npos && colon > 0 && (colon + 1 == line.size() || line[colon + 1] == ' ') &&
         std::ranges::all_of(line.substr(0, colon),
                             [](unsigned char c) { return std::islower(c) || c == '_'; });
}

// What `answer` says to the headers of the expectation; to everything where it has none yet.
Lines Actual(const Lines& expected, const std::string& analysis, const Result<ReportSet>& answer,
             const Variant& variant) {
  if (!answer) return {"error: " + answer.error().what};
  const Report& report = ReportOf(*answer, analysis);
  Lines headers;
  std::ranges::copy_if(expected, std::back_inserter(headers), IsHeader);
  if (headers.empty()) {
    headers = {"status:"};
    for (const Table& table : report.tables) headers.push_back(AllColumns(table));
  }
  Lines actual;
  for (const std::string& header : headers) {
    std::ranges::move(Section(header, *answer, report, variant), std::back_inserter(actual));
  }
  return actual;
}

// Whether the rank of a trace hangs on its place among the files.
bool RankedByOrder(const InlineTrace& trace) {
  return trace.rank < 0 &&
         std::ranges::none_of(trace.file, [](unsigned char c) { return std::isdigit(c); });
}

// The answer of all analyses to the traces of `run`, written to files as `variant` wants them.
Result<ReportSet> Answer(const GoldenRun& run, const Variant& variant) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (const InlineTrace& trace : run.traces) {
    if (variant.xplane) {
      paths.push_back(folder.Write(fmt::format("rank_{}.xplane.pb", trace.rank), ToXPlane(trace)));
      continue;
    }
    const std::string name =
        trace.file.empty() ? fmt::format("part{}.json", paths.size()) : trace.file;
    paths.push_back(folder.Write(name, ToFile(trace, variant)));
  }
  if (variant.reverse_files) std::ranges::reverse(paths);
  const auto session = Session::Open(paths);
  if (!session) return std::unexpected(session.error());
  return session->Analyze({.steps = run.steps, .params = run.params});
}

Lines ExpectationOf(const GoldenFile& file, const GoldenRun& run) {
  const auto lines = std::span(file.lines).subspan(run.first_line, run.last_line - run.first_line);
  return {lines.begin(), lines.end()};
}

// Lines as text to compare: how many spaces stand between two words does not matter.
std::string Text(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += fmt::format("{}\n", fmt::join(Split(line), " "));
  return text;
}

// Notes and files are of the format, and so is advice on what to record.
Lines WithoutFormat(const Lines& lines) {
  Lines kept;
  bool keep = true;
  for (const std::string& line : lines) {
    if (IsHeader(line))
      keep =
          !line.starts_with("notes:") && !line.starts_with("files:") && !line.starts_with("why:");
    if (keep) kept.push_back(line);
  }
  return kept;
}

void CheckAsXPlane(const Lines& expected, const GoldenRun& run, const Variant& variant) {
  const auto answer = Answer(run, variant);
  ASSERT_EQ(Text(WithoutFormat(expected)),
            Text(WithoutFormat(Actual(expected, run.analysis, answer, variant))));
  if (answer) {
    ASSERT_EQ(Text(BrokenInvariants(*answer)), "");
  }
}

void CheckRun(const GoldenFile& file, const GoldenRun& run) {
  const Lines expected = ExpectationOf(file, run);
  EXPECT_FALSE(expected.empty()) << "nothing is expected at line " << run.first_line;
  const bool ordered = run.traces.size() > 1 && std::ranges::any_of(run.traces, RankedByOrder);
  for (const Variant& variant : kVariants) {
    if (variant.reverse_files && ordered) continue;
    SCOPED_TRACE(fmt::format("line {}, {}", run.first_line, variant.name));
    if (variant.xplane) {
      if (FitXPlane(run.traces)) CheckAsXPlane(expected, run, variant);
      continue;
    }
    const auto answer = Answer(run, variant);
    // One difference is enough: the variants after it would most likely repeat it.
    ASSERT_EQ(Text(expected), Text(Actual(expected, run.analysis, answer, variant)));
    if (answer) {
      ASSERT_EQ(Text(BrokenInvariants(*answer)), "");
    }
  }
}

void UpdateFile(GoldenFile file, const std::string& path) {
  for (auto run = file.runs.rbegin(); run != file.runs.rend(); ++run) {
    const Lines expected = ExpectationOf(file, *run);
    const Lines actual = Actual(expected, run->analysis, Answer(*run, kVariants[0]), kVariants[0]);
    if (Text(expected) == Text(actual)) continue;
    const auto first = file.lines.begin() + static_cast<std::ptrdiff_t>(run->first_line);
    const auto last = file.lines.begin() + static_cast<std::ptrdiff_t>(run->last_line);
    file.lines.insert(file.lines.erase(first, last), actual.begin(), actual.end());
  }
  std::ofstream(path) << fmt::format("{}\n", fmt::join(file.lines, "\n"));
}

Lines GoldenPaths() {
  Lines paths;
  for (const auto& entry : fs::recursive_directory_iterator(SourceDir() + "/tests/golden")) {
    // Logs of jobs are of tests/goodput_golden_test.cc.
    const bool trace = entry.path().parent_path().filename() != "goodput";
    if (trace && entry.path().extension() == ".test") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

class GoldenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, Matches) {
  const GoldenFile file = ReadGoldenFile(GetParam());
  ASSERT_FALSE(file.runs.empty());
  if (std::getenv("STEPSCOPE_GOLDEN_UPDATE") != nullptr) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << "expectations are not to be rewritten in CI";
    UpdateFile(file, GetParam());
    return;
  }
  for (const GoldenRun& run : file.runs) CheckRun(file, run);
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  const fs::path path(info.param);
  return path.parent_path().filename().string() + "_" + path.stem().string();
}

// The variant as XPlane profiles is left out without a word where it cannot be; not everywhere.
TEST(GoldenAsXPlane, IsTriedOnMany) {
  int64_t fit = 0, all = 0;
  for (const std::string& path : GoldenPaths()) {
    for (const GoldenRun& run : ReadGoldenFile(path).runs) {
      ++all;
      fit += FitXPlane(run.traces) ? 1 : 0;
    }
  }
  EXPECT_GT(fit, 100) << "of " << all;
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenTest, ::testing::ValuesIn(GoldenPaths()), TestName);

}  // namespace
}  // namespace stepscope::testing::golden_test
