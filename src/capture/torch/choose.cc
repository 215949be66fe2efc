// Chooses which clients are traced: workers, not launchers and helpers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "capture/torch/clients.h"

namespace stepscope::capture {
namespace {

// What one client is among all.
struct Role {
  const Client* client = nullptr;
  CaptureTarget target;
  int64_t above = 0;  // the nearest ancestor that is a client too; 0: none
  bool worker = true;
  bool launcher = false;
  bool asked = false;
};

using Roles = std::map<int64_t, Role>;  // by pid

Roles RolesOf(std::span<const Client> clients, int64_t user) {
  Roles roles;
  for (const Client& client : clients)
    roles[client.process.pid] = {&client, TargetOf(client.process, "torch")};
  for (auto& [pid, role] : roles) {
    const auto above = std::ranges::find_if(
        role.client->ancestors, [&](int64_t ancestor) { return roles.contains(ancestor); });
    if (above != role.client->ancestors.end()) role.above = *above;
    if (role.client->process.user == user) continue;
    role.worker = false;
    role.target.reason = fmt::format("it belongs to user {}", role.client->process.user);
  }
  return roles;
}

// A child with the rank of its parent, or without its device, serves it: a spawned data loader.
bool IsHelper(const Role& role, const Role& parent) {
  const int64_t rank = parent.client->process.Number("RANK");
  if (rank >= 0) return role.client->process.Number("RANK") == rank;
  return parent.client->holds_device && !role.client->holds_device;
}

void FindHelpers(Roles& roles) {
  for (auto& [pid, role] : roles) {
    if (!role.worker || role.above == 0 || !IsHelper(role, roles.at(role.above))) continue;
    role.worker = false;
    role.target.reason = fmt::format("helper of pid {}", role.above);
  }
}

void FindLaunchers(Roles& roles) {
  std::map<int64_t, int64_t> below;  // how many workers
  for (const auto& [pid, role] : roles) {
    if (role.worker && role.above != 0) ++below[role.above];
  }
  for (auto& [pid, role] : roles) {
    const bool elastic = role.client->process.name == "pt_elastic";
    if (!role.worker || (!below.contains(pid) && !elastic)) continue;
    role.worker = false;
    role.launcher = true;
    role.target.reason = fmt::format("launcher of {} processes", below[pid]);
  }
}

bool IsBelow(const Role& role, int64_t pid) {
  return role.client->process.pid == pid || role.client->IsBelow(pid);
}

// Those asked for by pid; fails for a pid with none.
std::optional<Error> AskByPid(Roles& roles, const Choice& choice) {
  for (const int64_t pid : choice.pids) {
    bool any = false;
    for (auto& [key, role] : roles) {
      if (!role.worker || !IsBelow(role, pid)) continue;
      role.asked = any = true;
    }
    if (any) continue;
    const std::string where = fmt::format("pid {}", pid);
    if (const auto role = roles.find(pid); role != roles.end())
      return Error{"this process cannot be traced: " + role->second.target.reason, where, ""};
    const auto process = ReadProcess(pid);
    if (!process) return process.error();
    if (process->user != choice.user) {
      return Error{fmt::format("this process belongs to user {}", process->user), where,
                   "capture it as that user"};
    }
    return Error{
        "this process does not ask for captures", where,
        "start it with KINETO_USE_DAEMON=1 in its environment; see docs/capture-pytorch.md"};
  }
  return std::nullopt;
}

bool IsOfJob(const Role& role, const std::string& job) {
  if (role.target.job == job) return true;
  return std::ranges::any_of(
      std::initializer_list<const char*>{"PT_PROFILER_JOB_NAME", "SLURM_JOB_ID", "SLURM_JOB_NAME",
                                         "TORCHELASTIC_RUN_ID"},
      [&](const char* key) { return role.client->process.Variable(key) == job; });
}

std::optional<Error> AskByJob(Roles& roles, const std::string& job) {
  std::set<std::string> jobs;
  bool any = false;
  for (auto& [pid, role] : roles) {
    if (!role.worker) continue;
    if (!role.target.job.empty()) jobs.insert(role.target.job);
    if (IsOfJob(role, job)) role.asked = any = true;
  }
  if (any) return std::nullopt;
  std::string hint = "leave out `job`: no process here names its job";
  if (!jobs.empty()) {
    hint = "jobs here:";
    for (const std::string& name : jobs) hint += " " + name;
  }
  return Error{"no process of this job can be traced", job, hint};
}

// Where the ranks of a job meet, and how many they are; empty: the environment does not say.
std::string MeetingPlace(const Process& process) {
  const std::string port = process.Variable("MASTER_PORT"), size = process.Variable("WORLD_SIZE");
  if (port.empty() || size.empty() || process.Number("RANK") < 0) return "";
  return fmt::format("{}:{}/{}", process.Variable("MASTER_ADDR"), port, size);
}

// Workers that meet at one place, else of one launcher, or of one parent.
std::map<std::pair<std::string, int64_t>, std::vector<Role*>> ByJob(Roles& roles) {
  std::map<std::pair<std::string, int64_t>, std::vector<Role*>> groups;
  for (auto& [pid, role] : roles) {
    if (!role.worker) continue;
    const std::string place = MeetingPlace(role.client->process);
    const int64_t above = role.above != 0 ? role.above : role.client->process.parent;
    groups[{place, place.empty() ? above : 0}].push_back(&role);
  }
  return groups;
}

// How a user names these workers: by the launcher that they have in common, or each.
std::string SayPids(const std::vector<Role*>& workers) {
  const int64_t above = workers.front()->above;
  const bool common =
      above != 0 && std::ranges::all_of(workers, [&](Role* role) { return role->above == above; });
  if (common && workers.size() > 1)
    return fmt::format("{} ({} workers below it)", above, workers.size());
  std::vector<std::string> pids;
  for (const Role* role : workers) pids.push_back(role->target.address.substr(4));
  const std::string all = fmt::format("{}", fmt::join(pids, " "));
  return pids.size() == 1 ? all : all + " (one job)";
}

bool RanksDiffer(const std::vector<Role*>& workers) {
  std::set<int64_t> ranks;
  return std::ranges::all_of(workers, [&](const Role* role) {
    return role->target.rank < 0 || ranks.insert(role->target.rank).second;
  });
}

void AskAll(Roles& roles) {
  for (auto& [pid, role] : roles) role.asked = role.worker;
}

std::optional<Error> AskOneJob(Roles& roles) {
  const auto groups = ByJob(roles);
  if (groups.empty() || (groups.size() == 1 && RanksDiffer(groups.begin()->second))) {
    AskAll(roles);
    return std::nullopt;
  }
  std::vector<std::string> jobs;
  for (const auto& [key, workers] : groups) {
    if (groups.size() > 1) {
      jobs.push_back(SayPids(workers));
      continue;
    }
    // Several of one rank have nothing but their parent in common.
    for (Role* role : workers) jobs.push_back(SayPids({role}));
  }
  return Error{
      "it is not clear which job is meant", "",
      fmt::format("give one of these {} as `pids`: {}", jobs.size(), fmt::join(jobs, ", "))};
}

// In a container, what is below pid 1 is all that runs there.
std::string AllBelowFirst(const Roles& roles, const Choice& choice) {
  constexpr int64_t kFirst = 1;
  const auto first = roles.find(kFirst);
  const bool itself = first != roles.end() && first->second.asked;
  if (itself || std::ranges::find(choice.pids, kFirst) == choice.pids.end()) return "";
  const auto asked = std::ranges::count_if(roles, [](const auto& r) { return r.second.asked; });
  return fmt::format("Pid 1 started all processes here: all {} that can be traced are meant by it.",
                     asked);
}

}  // namespace

Chosen Choose(std::span<const Client> clients, const Choice& choice) {
  Roles roles = RolesOf(clients, choice.user);
  FindHelpers(roles);
  FindLaunchers(roles);
  Chosen chosen;
  if (!choice.pids.empty())
    chosen.problem = AskByPid(roles, choice);
  else if (!choice.job.empty())
    chosen.problem = AskByJob(roles, choice.job);
  else if (choice.all)
    AskAll(roles);
  else
    chosen.problem = AskOneJob(roles);
  if (std::string all = AllBelowFirst(roles, choice); !all.empty() && !chosen.problem)
    chosen.remarks.push_back(std::move(all));
  for (auto& [pid, role] : roles) {
    role.target.chosen = role.worker && role.asked && !chosen.problem;
    if (role.worker && !role.target.chosen)
      role.target.reason = chosen.problem ? "it is not clear which job is meant" : kNotAsked;
    chosen.targets.push_back(std::move(role.target));
  }
  std::ranges::stable_sort(chosen.targets, {}, [](const CaptureTarget& target) {
    return std::tuple(target.rank < 0, target.rank);
  });
  return chosen;
}

}  // namespace stepscope::capture
