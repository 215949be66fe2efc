// Reads the folder of workers, and picks those of a job.
#include "capture/common/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/system_error.h"
#include "base/time_units.h"
#include "capture/common/process.h"

namespace stepscope::capture {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLargestFile = 16 << 10;  // bytes; ours have some 300
constexpr size_t kMostFiles = 100'000;
constexpr size_t kMostNamed = 100;               // of missing ranks, and of files that are left out
constexpr int64_t kClocksDiffer = 60 * kSecond;  // a clock that was set since the process began

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int64_t SinceBoot() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

int64_t Now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

// The namespace in which this process sees pids; empty if unknown.
std::string OwnNamespace() {
  std::error_code error;
  return fs::read_symlink("/proc/self/ns/pid", error).string();
}

// Why a worker of this machine is gone; nothing if it runs, or its pid tells nothing here, as that
// of another machine or container.
std::optional<std::string> WhyGone(const Worker& worker) {
  if (worker.target.host != HostName() || worker.pid_namespace.empty() ||
      worker.pid_namespace != OwnNamespace())
    return std::nullopt;
  const auto process = ReadProcess(worker.target.pid);
  if (!process || process->state == 'Z')
    return fmt::format("process {} has ended", worker.target.pid);
  const int64_t ticks = sysconf(_SC_CLK_TCK);
  const int64_t started = Now() - SinceBoot() + process->start_ticks * (kSecond / ticks);
  if (process->user != static_cast<int64_t>(geteuid()) ||
      std::abs(started - worker.started) > kClocksDiffer)
    return fmt::format("pid {} is another process now", worker.target.pid);
  return std::nullopt;
}

// Why an open file is not taken; nothing if only this user can have written it.
std::optional<std::string> WhyRefused(int file) {
  struct stat facts{};
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return "it is not an ordinary file";
  if (facts.st_uid != geteuid()) return "the file is of another user";
  if ((facts.st_mode & 022) != 0) return "others may write the file";
  if (facts.st_size > kLargestFile)
    return fmt::format("the file has more than {} bytes", kLargestFile);
  return std::nullopt;
}

// The content of a file that only this user can have written.
Result<std::string> OwnText(const std::string& path) {
  // Without O_NONBLOCK a named pipe would wait for its writer.
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    const int number = errno;
    if (number == ELOOP) return std::unexpected(Error{"it is a link", "", ""});
    return std::unexpected(SystemError("cannot open the file", number, path));
  }
  std::string text(kLargestFile, '\0');
  const auto refused = WhyRefused(file);
  const ssize_t got = refused ? 0 : pread(file, text.data(), text.size(), 0);
  close(file);
  if (refused) return std::unexpected(Error{*refused, "", ""});
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
  return text;
}

// One file; the error says why it is left out.
Result<Worker> WorkerOf(const std::string& path) {
  auto text = OwnText(path);
  if (!text) return std::unexpected(text.error());
  auto worker = ParseWorker(*text);
  if (!worker) return worker;
  if (auto gone = WhyGone(*worker)) return std::unexpected(Error{*gone, "", ""});
  return worker;
}

Result<std::vector<std::string>> FilesIn(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (name.starts_with('.') || !name.ends_with(".json")) continue;
    if (files.size() == kMostFiles) break;
    files.push_back(at->path());
  }
  if (error) {
    Error cannot = SystemError("cannot read the directory of workers", error.value(), folder);
    if (error == std::errc::no_such_file_or_directory)
      cannot.hint =
          "call stepscope.profiler.init() in the job, or set STEPSCOPE_WORKERS as it has it";
    return std::unexpected(std::move(cannot));
  }
  std::ranges::sort(files);
  return files;
}

void LeaveOut(JobWorkers& job, const std::string& what, std::string_view why) {
  if (job.left_out.size() < kMostNamed) job.left_out.push_back(fmt::format("{}: {}", what, why));
}

std::string NameOf(const CaptureTarget& target) {
  return target.rank >= 0 ? fmt::format("rank {} ({})", target.rank, target.address)
                          : target.address;
}

// Keeps the workers of the attempt that began last, and of each rank the one that did.
void KeepNewest(std::vector<Worker> workers, JobWorkers& job) {
  std::ranges::sort(workers, std::ranges::greater{}, &Worker::started);
  std::set<int64_t> ranks;
  for (Worker& worker : workers) {
    const CaptureTarget& target = worker.target;
    if (target.attempt != workers.front().target.attempt)
      LeaveOut(job, NameOf(target), "it is of an earlier attempt");
    else if (target.rank >= 0 && !ranks.insert(target.rank).second)
      LeaveOut(job, NameOf(target), "a later process has its rank");
    else
      job.targets.push_back(target);
  }
  const auto place = [](const CaptureTarget& t) {
    return std::tuple(t.rank < 0, t.rank, t.host, t.pid);
  };
  std::ranges::sort(job.targets, {}, place);
}

void NameMissing(JobWorkers& job) {
  int64_t ranks = 0;
  std::set<int64_t> present;
  for (const CaptureTarget& target : job.targets) {
    ranks = std::max(ranks, target.world_size);
    if (target.rank >= 0) present.insert(target.rank);
  }
  // Workers of unknown rank may be any of the others.
  job.missing = std::max<int64_t>(0, ranks - std::ssize(job.targets));
  if (present.size() != job.targets.size()) return;
  for (int64_t rank = 0; rank < ranks && job.missing_ranks.size() < kMostNamed; ++rank) {
    if (!present.contains(rank)) job.missing_ranks.push_back(rank);
  }
}

Error NoneOf(const std::string& job, const std::string& folder, const std::set<std::string>& jobs,
             const JobWorkers& found) {
  Error error{fmt::format("no process of job {} is registered", job), folder,
              "call stepscope.profiler.init() in the job, or set STEPSCOPE_WORKERS as it has it"};
  if (!jobs.empty()) error.hint = fmt::format("these are: {}", fmt::join(jobs, ", "));
  if (!found.left_out.empty())
    error.what += fmt::format("; {} files were left out, such as {}", found.left_out.size(),
                              found.left_out.front());
  return error;
}

}  // namespace

std::string WorkersFolder() {
  if (std::string given = Variable("STEPSCOPE_WORKERS"); !given.empty()) return given;
  if (const std::string state = Variable("XDG_STATE_HOME"); state.starts_with('/'))
    return state + "/stepscope/workers";
  const std::string home = Variable("HOME");
  return home.starts_with('/') ? home + "/.local/state/stepscope/workers" : "";
}

Result<JobWorkers> FindWorkers(const std::string& folder, const std::string& job,
                               std::string_view door) {
  const auto files = FilesIn(folder);
  if (!files) return std::unexpected(files.error());
  JobWorkers found;
  std::vector<Worker> workers;
  std::set<std::string> jobs;
  for (const std::string& path : *files) {
    auto worker = WorkerOf(path);
    const std::string name = fs::path(path).filename();
    if (!worker) {
      LeaveOut(found, name, worker.error().what);
    } else if (worker->target.job != job) {
      if (jobs.size() < kMostNamed && !worker->target.job.empty()) jobs.insert(worker->target.job);
    } else if (!door.empty() && worker->target.door != door) {
      LeaveOut(found, NameOf(worker->target),
               fmt::format("it is captured by `{}`", worker->target.door));
    } else {
      workers.push_back(std::move(*worker));
    }
  }
  if (workers.empty()) return std::unexpected(NoneOf(job, folder, jobs, found));
  KeepNewest(std::move(workers), found);
  NameMissing(found);
  return found;
}

std::optional<std::string> JobOfAddress(std::string_view address) {
  constexpr std::string_view kJob = "job:";
  if (!address.starts_with(kJob) || address.size() == kJob.size()) return std::nullopt;
  return std::string(address.substr(kJob.size()));
}

}  // namespace stepscope::capture
