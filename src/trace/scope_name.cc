// Takes scopes apart.
#include "trace/scope_name.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

// What compilers and differentiation put around modules.
constexpr auto kNoModules = std::to_array<std::string_view>({"while",
                                                             "body",
                                                             "cond",
                                                             "scan",
                                                             "branch_0_fun",
                                                             "branch_1_fun",
                                                             "checkpoint",
                                                             "remat",
                                                             "rematted_computation",
                                                             "custom_jvp_call",
                                                             "custom_vjp_call",
                                                             "custom_vjp_call_jaxpr",
                                                             "closed_call",
                                                             "core_call",
                                                             "shard_map",
                                                             "pjit",
                                                             "StatefulPartitionedCall",
                                                             "PartitionedCall",
                                                             "gradients",
                                                             "cluster"});

// What is in the brackets of "jvp(Net)"; nothing where `part` is no call of `function`.
bool Unwrap(std::string_view function, std::string_view& part) {
  if (!part.starts_with(function) || !part.ends_with(')')) return false;
  if (part.size() < function.size() + 2 || part[function.size()] != '(') return false;
  part = part.substr(function.size() + 1, part.size() - function.size() - 2);
  return true;
}

// Takes one part of the scope.
void Take(std::string_view part, ScopeName& scope) {
  bool changed = true;
  while (changed) {
    changed = Unwrap("jvp", part) || Unwrap("vmap", part);
    if (!Unwrap("transpose", part)) continue;
    scope.backward = changed = true;
  }
  if (part == "gradient_tape" || part == "gradients") scope.backward = true;
  if (part == "rematted_computation" || part == "gradient_tape") return;
  const bool is_call = part.contains('(') || part.contains('[') || part.contains('<');
  if (part.empty() || is_call || std::ranges::find(kNoModules, part) != kNoModules.end()) return;
  scope.modules.push_back(part);
}

}  // namespace

ScopeName ParseScopeName(std::string_view text) {
  ScopeName scope;
  // The operation may hold anything, "reduce_sum[axes=(0, 1)]".
  text = text.substr(0, text.find('['));
  const size_t last = text.rfind('/');
  if (last == std::string_view::npos) return scope;
  text = text.substr(0, last);
  while (!text.empty()) {
    const size_t slash = text.find('/');
    Take(text.substr(0, slash), scope);
    text = slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
  }
  return scope;
}

}  // namespace stepscope
