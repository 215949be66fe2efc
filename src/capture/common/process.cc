// Parses /proc/PID/stat and /proc/PID/environ.
#include "capture/common/process.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/ascii.h"

namespace stepscope::capture {
namespace {

std::string FileText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The first of these variables that is a number from 0.
int64_t FirstNumber(const Process& process, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const int64_t number = process.Number(key); number >= 0) return number;
  }
  return -1;
}

std::string FirstText(const Process& process, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (std::string text = process.Variable(key); !text.empty()) return text;
  }
  return "";
}

std::unexpected<Error> NoSuchProcess(int64_t pid) {
  return std::unexpected(Error{"there is no such process", fmt::format("pid {}", pid),
                               "list the processes first: `dry_run`"});
}

}  // namespace

std::string Process::Variable(const std::string& key) const {
  const auto found = environment.find(key);
  return found == environment.end() ? "" : found->second;
}

int64_t Process::Number(const std::string& key) const {
  const auto number = WholeNumber(Variable(key));
  return number && *number >= 0 ? *number : -1;
}

Result<Process> ParseStat(std::string_view text) {
  constexpr size_t kParent = 1, kStart = 19;  // fields behind the name, proc(5)
  const size_t open = text.find(" ("), close = text.rfind(") ");
  if (open == text.npos || close == text.npos || close < open + 2) {
    return std::unexpected(Error{"cannot read the state of a process", "", ""});
  }
  Process process{.name = std::string(text.substr(open + 2, close - open - 2))};
  const auto pid = WholeNumber(text.substr(0, open));
  std::vector<std::string_view> fields;
  std::string_view rest = Trimmed(text.substr(close + 2));
  while (!rest.empty()) {
    const size_t space = std::min(rest.find(' '), rest.size());
    fields.push_back(rest.substr(0, space));
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  if (!pid || fields.size() <= kStart || fields[0].size() != 1) {
    return std::unexpected(Error{"cannot read the state of a process", "", ""});
  }
  process.pid = *pid;
  process.state = fields[0][0];
  process.parent = WholeNumber(fields[kParent]).value_or(0);
  process.start_ticks = WholeNumber(fields[kStart]).value_or(0);
  return process;
}

std::map<std::string, std::string> ParseEnvironment(std::string_view text) {
  std::map<std::string, std::string> environment;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\0'), text.size());
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const size_t equals = item.find('='); equals != item.npos && equals > 0)
      environment.try_emplace(std::string(item.substr(0, equals)), item.substr(equals + 1));
  }
  return environment;
}

Result<Process> ReadProcess(int64_t pid) {
  const std::string folder = fmt::format("/proc/{}", pid);
  auto process = ParseStat(FileText(folder + "/stat"));
  struct stat owner{};
  if (pid <= 0 || !process || stat(folder.c_str(), &owner) != 0) return NoSuchProcess(pid);
  process->user = owner.st_uid;
  process->environment = ParseEnvironment(FileText(folder + "/environ"));
  return process;
}

bool IsAlive(int64_t pid, int64_t start_ticks) {
  const auto process = ParseStat(FileText(fmt::format("/proc/{}/stat", pid)));
  return process && process->start_ticks == start_ticks && process->state != 'Z' &&
         process->state != 'X';
}

std::vector<int64_t> AllPids() {
  std::vector<int64_t> pids;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end;
       at.increment(error)) {
    if (const auto pid = WholeNumber(at->path().filename().string())) pids.push_back(*pid);
  }
  return pids;
}

CaptureTarget TargetOf(const Process& process, std::string_view door) {
  CaptureTarget target{.door = std::string(door),
                       .address = fmt::format("pid {}", process.pid),
                       .host = HostName(),
                       .pid = process.pid};
  target.rank = FirstNumber(process, {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"});
  target.local_rank = FirstNumber(
      process, {"LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"});
  const int64_t world =
      FirstNumber(process, {"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  target.world_size = world > 0 ? world : 0;
  target.job = FirstText(
      process, {"PT_PROFILER_JOB_NAME", "STEPSCOPE_JOB", "SLURM_JOB_ID", "TORCHELASTIC_RUN_ID"});
  target.attempt = FirstText(process, {"PT_PROFILER_JOB_ATTEMPT_INDEX", "SLURM_RESTART_COUNT",
                                       "TORCHELASTIC_RESTART_COUNT"});
  return target;
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "";
}

std::string BootId() { return std::string(Trimmed(FileText("/proc/sys/kernel/random/boot_id"))); }

}  // namespace stepscope::capture
