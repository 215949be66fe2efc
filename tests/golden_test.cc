// Runs tests/golden/*/*.test through the front door, as written and in variants that must not matter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "stepscope/session.h"
#include "tests/golden_file.h"
#include "tests/scratch.h"

namespace stepscope::testing {
namespace {

namespace fs = std::filesystem;

const Variant kVariants[] = {
    {.name = "as written"},
    {.name = "shifted in time", .shift = 1'712'345'678'901'234'567},
    {.name = "events shuffled", .shuffle = 7},
    {.name = "streams renumbered", .stream_factor = 3, .stream_offset = 100},
    {.name = "files in reverse", .reverse_files = true},
};

std::string CellText(const Cell& cell, const std::string& column, const Variant& variant) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return text->empty() ? "-" : *text;
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{:.6g}", *real);
  const int64_t number = std::get<int64_t>(cell);
  if (column != "stream") return std::to_string(number);
  return std::to_string((number - variant.stream_offset) / variant.stream_factor);
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; (at = text.find_first_not_of(' ', at)) != text.npos;) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string> TableLines(const Table& table, const std::vector<std::string>& columns, const Variant& v) {
  std::vector<std::string> lines;
  for (const auto& row : table.rows) {
    std::string line;
    for (const std::string& wanted : columns) {
      const auto column = std::ranges::find(table.columns, wanted, &Column::key);
      const auto index = static_cast<size_t>(column - table.columns.begin());
      const std::string cell = column == table.columns.end() ? "no such column" : CellText(row[index], wanted, v);
      line += (line.empty() ? "" : "  ") + cell;
    }
    lines.push_back(line);
  }
  return lines;
}

std::string AllColumns(const Table& table) {
  std::string header = table.key + ":";
  for (const Column& column : table.columns) header += " " + column.key;
  return header;
}

// What the answer says to one header line of an expectation.
std::vector<std::string> Lines(const std::string& header, const ReportSet& answer, const Variant& v) {
  const Report& report = answer.reports.at(0);
  const std::string key = header.substr(0, header.find(':'));
  std::vector<std::string> lines;
  if (key == "status") return {"status: " + std::string(StatusName(report.status))};
  if (key == "why") return {"why: " + report.why};
  if (key == "headline") return {"headline: " + report.headline};
  lines.push_back(header);
  if (key == "findings") {
    for (const Finding& f : report.findings) lines.push_back(f.says);
  } else if (key == "notes") {
    for (const Note& n : answer.run.notes) lines.push_back(fmt::format("{} {}", n.name, n.count));
    for (const Note& n : report.notes) lines.push_back(fmt::format("{} {}", n.name, n.count));
    std::ranges::sort(lines.begin() + 1, lines.end());
  } else if (const auto table = std::ranges::find(report.tables, key, &Table::key); table != report.tables.end()) {
    const auto rows = TableLines(*table, Split(header.substr(key.size() + 1)), v);
    lines.insert(lines.end(), rows.begin(), rows.end());
  } else {
    lines.push_back("no such table");
  }
  return lines;
}

bool IsHeader(const std::string& line) {
  const size_t colon = line.find(':');
  return colon != line.npos && colon > 0 &&
         std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](unsigned char c) { return std::islower(c) || c == '_'; }) &&
         (colon + 1 == line.size() || line[colon + 1] == ' ');
}

std::vector<std::string> Actual(const std::vector<std::string>& expected, const ReportSet& answer, const Variant& v) {
  std::vector<std::string> headers;
  std::ranges::copy_if(expected, std::back_inserter(headers), IsHeader);
  if (headers.empty()) {
    headers = {"status:"};
    for (const Table& table : answer.reports.at(0).tables) headers.push_back(AllColumns(table));
  }
  std::vector<std::string> actual;
  for (const std::string& header : headers) {
    const auto lines = Lines(header, answer, v);
    actual.insert(actual.end(), lines.begin(), lines.end());
  }
  return actual;
}

ReportSet RunVariant(const GoldenRun& run, const Variant& variant) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (size_t t = 0; t < run.traces.size(); ++t) {
    // A file without a rank is named by its place, so that its rank is known in any order of files.
    const bool named = run.traces[t].rank >= 0 || run.traces.size() == 1;
    paths.push_back(folder.Write(fmt::format("{}{}.json", named ? "trace" : "rank", t),
                                 ToKineto(run.traces[t], variant)));
  }
  if (variant.reverse_files) std::ranges::reverse(paths);
  const auto session = Session::Open(paths);
  if (!session) throw std::runtime_error(session.error().what);
  auto answer = session->Analyze({.only = {run.analysis}, .steps = run.steps, .params = run.params});
  if (!answer) throw std::runtime_error(answer.error().what);
  return *answer;
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void CheckRun(const GoldenFile& file, const GoldenRun& run) {
  const std::vector<std::string> expected(file.lines.begin() + static_cast<std::ptrdiff_t>(run.first_line),
                                          file.lines.begin() + static_cast<std::ptrdiff_t>(run.last_line));
  EXPECT_FALSE(expected.empty()) << "nothing is expected at line " << run.first_line;
  for (const Variant& variant : kVariants) {
    const auto actual = Actual(expected, RunVariant(run, variant), variant);
    EXPECT_EQ(Join(expected), Join(actual)) << "line " << run.first_line << ", " << variant.name;
  }
}

void UpdateFile(GoldenFile file, const std::string& path) {
  for (auto run = file.runs.rbegin(); run != file.runs.rend(); ++run) {
    const auto first = file.lines.begin() + static_cast<std::ptrdiff_t>(run->first_line);
    const auto last = file.lines.begin() + static_cast<std::ptrdiff_t>(run->last_line);
    const auto actual = Actual({first, last}, RunVariant(*run, kVariants[0]), kVariants[0]);
    file.lines.insert(file.lines.erase(first, last), actual.begin(), actual.end());
  }
  std::ofstream(path) << Join(file.lines);
}

std::vector<std::string> GoldenPaths() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(STEPSCOPE_SOURCE_DIR "/tests/golden")) {
    if (entry.path().extension() == ".test") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

class GoldenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, Matches) {
  const GoldenFile file = ReadGoldenFile(GetParam());
  ASSERT_FALSE(file.runs.empty());
  if (std::getenv("STEPSCOPE_GOLDEN_UPDATE") != nullptr) return UpdateFile(file, GetParam());
  for (const GoldenRun& run : file.runs) CheckRun(file, run);
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  const fs::path path(info.param);
  return path.parent_path().filename().string() + "_" + path.stem().string();
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenTest, ::testing::ValuesIn(GoldenPaths()), TestName);

}  // namespace
}  // namespace stepscope::testing
