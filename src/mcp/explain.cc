// Explains by the documentation of the analyses.
#include "mcp/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "mcp/say.h"
#include "stepscope/session.h"

namespace stepscope::mcp {
namespace {

constexpr size_t kShortestTerm = 3;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> Documentation(const AnalysisInfo& info) {
  std::vector<std::string> lines = {fmt::format("# {}: {}", info.name, info.title)};
  for (std::string& line : LinesOf(info.doc)) lines.push_back(std::move(line));
  if (!info.params.empty()) lines.emplace_back("Parameters, of the command line only (-p):");
  for (const ParameterInfo& p : info.params)
    lines.push_back(fmt::format("- {}.{}={}: {}", info.name, p.name, p.default_value, p.message));
  return lines;
}

// The paragraphs and list items that hold the term.
std::vector<std::string> Mentions(const AnalysisInfo& info, const std::string& term) {
  std::vector<std::string> found;
  std::string part;
  const auto end_part = [&] {
    if (Lower(part).contains(term)) found.push_back(fmt::format("{}: {}", info.name, part));
    part.clear();
  };
  for (const std::string& line : LinesOf(info.doc)) {
    const std::string_view words = Trimmed(line);
    if (words.empty() || words.starts_with("- ") || words.starts_with("**")) end_part();
    if (!words.empty()) part += (part.empty() ? "" : " ") + std::string(words);
  }
  end_part();
  return found;
}

}  // namespace

Result<std::string> ExplainTerm(const std::string& term, size_t budget) {
  const auto info = Session::Explain(term);
  if (info) return Fitted(Documentation(*info), budget);
  std::vector<std::string> lines;
  const std::string sought = Lower(std::string(Trimmed(term)));
  for (const AnalysisInfo& each : Session::List()) {
    if (sought.size() < kShortestTerm) break;
    for (std::string& mention : Mentions(each, sought)) lines.push_back(std::move(mention));
  }
  if (lines.empty()) return std::unexpected(info.error());
  std::ranges::stable_partition(
      lines, [](const std::string& line) { return line.contains(": **Definition"); });
  return Fitted(lines, budget);
}

}  // namespace stepscope::mcp
