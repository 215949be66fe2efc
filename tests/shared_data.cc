// Finds and reads what lies in ../shared.
#include "tests/shared_data.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "stepscope/session.h"
#include "tests/paths.h"

namespace stepscope::testing {
namespace {

// Splits a line of CSV. Names of kernels hold commas and quotes, but no line ends.
std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else if (line[i] != '\r') {
      fields.back() += line[i];
    }
  }
  return fields;
}

}  // namespace

std::filesystem::path Shared(const std::string& path) {
  return std::filesystem::path(SourceDir() + "/../shared").lexically_normal() / path;
}

std::vector<std::string> SharedFiles(const std::string& folder) {
  std::vector<std::string> files;
  if (!std::filesystem::exists(Shared(folder))) return files;
  for (const auto& entry : std::filesystem::directory_iterator(Shared(folder))) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

ReportSet AnswerTo(const std::vector<std::string>& paths, const std::string& steps) {
  const auto session = Session::Open(paths);
  if (!session) throw std::runtime_error(session.error().what + ": " + session.error().where);
  auto answer = session->Analyze({.steps = steps});
  if (!answer) throw std::runtime_error(answer.error().what);
  return *std::move(answer);
}

std::vector<std::map<std::string, std::string>> ReadCsv(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error("cannot read " + path.string());
  const auto columns = Fields(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(in, line)) {
    const auto fields = Fields(line);
    if (fields.size() != columns.size()) throw std::runtime_error("odd row in " + path.string());
    auto& row = rows.emplace_back();
    for (size_t c = 0; c < columns.size(); ++c) row[columns[c]] = fields[c];
  }
  return rows;
}

}  // namespace stepscope::testing
