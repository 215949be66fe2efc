// Implements the search for what a function only calls.
#include "report/compare_callees.h"

#include <map>
#include <optional>

#include "report/compare_read.h"

namespace stepscope::comparison {

std::string NameInTree(std::string_view name) {
  const size_t file = name.find(" (");
  if (file == name.npos) return std::string(name);
  const size_t folder = name.find_last_of("/\\");
  if (folder == name.npos || folder < file) return std::string(name);
  return std::string(name.substr(0, file + 2)) + std::string(name.substr(folder + 1));
}

std::set<std::string> FunctionsWithin(const ReportSet& answer, std::string_view function) {
  const std::string outer = NameInTree(function);
  struct Time {
    double all = 0, within = 0;
  };
  std::map<std::string, Time, std::less<>> times;
  std::optional<double> depth_of_outer;
  ForRows(answer, "python", "tree", std::nullopt, [&](const Table& table, const Row& row) {
    const std::string_view name = Text(row, FindColumn(table, "name"));
    const double depth = Number(row, FindColumn(table, "depth")),
                 total = Number(row, FindColumn(table, "total"));
    if (depth_of_outer && depth <= *depth_of_outer) depth_of_outer.reset();
    if (name == outer) {
      if (!depth_of_outer) depth_of_outer = depth;
      return;
    }
    Time& time = times[std::string(name)];
    time.all += total;
    if (depth_of_outer) time.within += total;
  });
  std::set<std::string> within;
  for (const auto& [name, time] : times) {
    if (time.within > 0 && time.within >= kCallsOne * time.all) within.insert(name);
  }
  return within;
}

}  // namespace stepscope::comparison
