// Reads labels from variables of the environment.
#include "goodput/recorder/labels.h"

#include <algorithm>
#include <string_view>

namespace stepscope::goodput {
namespace {

using Label = std::pair<std::string, std::string>;

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

void Add(std::string_view name, std::string_view value, std::vector<Label>& labels) {
  const auto has = [&](const Label& label) { return label.first == name; };
  if (name.empty() || value.empty() || std::ranges::any_of(labels, has)) return;
  labels.emplace_back(name, value);
}

}  // namespace

std::vector<Label> LabelsOf(const GetVariable& variable) {
  std::vector<Label> labels;
  const auto text = [&](const char* name) -> std::string_view {
    const char* value = variable(name);
    return value == nullptr ? "" : value;
  };
  std::string_view rest = text("STEPSCOPE_LABELS");
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const size_t equals = part.find('=');
    if (equals == part.npos) continue;
    Add(Trimmed(part.substr(0, equals)), Trimmed(part.substr(equals + 1)), labels);
  }
  Add("cluster", text("SLURM_CLUSTER_NAME"), labels);
  Add("queue", text("SLURM_JOB_PARTITION"), labels);
  Add("user", text("SLURM_JOB_USER"), labels);
  Add("project", text("SLURM_JOB_ACCOUNT"), labels);
  Add("nodes", text("SLURM_JOB_NUM_NODES"), labels);
  return labels;
}

std::string JobOfTeam(const std::string& job, const std::vector<Label>& labels) {
  const auto team = std::ranges::find(labels, "team", &Label::first);
  if (team == labels.end() || job.starts_with(team->second + "/")) return job;
  return team->second + "/" + job;
}

}  // namespace stepscope::goodput
