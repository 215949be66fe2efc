// Finds out whose job a process is, from its environment.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace stepscope::goodput {

// Looks up a variable of the environment; null: not set.
using GetVariable = std::function<const char*(const char* name)>;

// Properties to group jobs by, in this order: those of STEPSCOPE_LABELS ("team=nlp,project=llm"),
// then what Slurm says and they do not: cluster, queue, user, project (the account).
std::vector<std::pair<std::string, std::string>> LabelsOf(const GetVariable& variable);

// The job's name in a ledger: "team/job", so that jobs of one name in two teams stay two.
std::string JobOfTeam(const std::string& job,
                      const std::vector<std::pair<std::string, std::string>>& labels);

}  // namespace stepscope::goodput
