// Reads from /proc what a capture needs to know of a process of this machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/capture.h"
#include "stepscope/result.h"

namespace stepscope::capture {

struct Process {
  int64_t pid = 0;
  int64_t parent = 0;
  int64_t user = -1;                               // uid
  int64_t start_ticks = 0;                         // since boot: with the pid it names the process
  char state = '?';                                // 'R', 'S', 'T', 'Z', ...
  std::string name;                                // as the kernel has it, at most 15 bytes
  std::map<std::string, std::string> environment;  // as it was started with; empty if unreadable

  // Of the environment; empty if absent.
  std::string Variable(const std::string& key) const;
  // The same as a number from 0; -1 if absent or not one.
  int64_t Number(const std::string& key) const;
};

// Fails where there is no such process, with its pid as `where`.
Result<Process> ReadProcess(int64_t pid);

// Whether the process still runs that had this pid and start. Zombies do not.
bool IsAlive(int64_t pid, int64_t start_ticks);

// All pids of this machine.
std::vector<int64_t> AllPids();

// Of /proc/PID/stat: the name may hold spaces and parentheses. Fails on anything else.
Result<Process> ParseStat(std::string_view text);
// Of /proc/PID/environ.
std::map<std::string, std::string> ParseEnvironment(std::string_view text);

// Rank, job and the like from its environment: torchrun, Slurm, MPI and PyTorch's own variables.
CaptureTarget TargetOf(const Process& process, std::string_view door);

// This machine's name.
std::string HostName();

// Names one start of the machine; empty if unknown.
std::string BootId();

}  // namespace stepscope::capture
