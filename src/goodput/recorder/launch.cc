// Knows the variables of launchers.
#include "goodput/recorder/launch.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace stepscope::goodput {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A part of an attempt's name, which "~" separates.
std::string Part(std::string text) {
  std::ranges::replace(text, '~', '-');
  return text;
}

}  // namespace

int64_t RankFromEnvironment() {
  // The innermost launcher first: within a Slurm job, torchrun gives the ranks.
  for (const char* name : {"STEPSCOPE_RANK", "RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                           "PMI_RANK", "JAX_PROCESS_ID", "SLURM_PROCID", "JOB_COMPLETION_INDEX"}) {
    const std::string value = Variable(name);
    int64_t rank = -1;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), rank);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    if (whole && rank >= 0) return rank;
  }
  return -1;
}

std::string JobFromEnvironment() {
  const std::string own = Variable("STEPSCOPE_JOB");
  return own.empty() ? Variable("SLURM_JOB_NAME") : own;
}

std::string AttemptFromEnvironment(std::string name) {
  std::string attempt = Part(name.empty() ? Variable("STEPSCOPE_ATTEMPT") : std::move(name));
  if (const std::string job = Variable("SLURM_JOB_ID"); !job.empty()) {
    const std::string restarts = Variable("SLURM_RESTART_COUNT");
    attempt += "~slurm." + Part(job) + "." + Part(restarts.empty() ? "0" : restarts);
  } else if (const std::string restarts = Variable("JOBSET_RESTART_ATTEMPT"); !restarts.empty()) {
    attempt += "~jobset." + Part(restarts);
  }
  if (const std::string restarts = Variable("TORCHELASTIC_RESTART_COUNT"); !restarts.empty()) {
    attempt += "~torchelastic." + Part(Variable("TORCHELASTIC_RUN_ID")) + "." + Part(restarts);
  }
  return attempt;
}

}  // namespace stepscope::goodput
