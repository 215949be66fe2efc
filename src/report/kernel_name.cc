// Shortens C++ function names as compilers spell them.
#include "report/kernel_name.h"

#include <array>

#include "base/ascii.h"

namespace stepscope {
namespace {

// Longer namespaces before their prefixes.
constexpr auto kFamiliar =
    std::to_array<std::string_view>({"at::native::", "at::cuda::", "at::", "c10::", "std::",
                                     "thrust::", "(anonymous namespace)::", "<unnamed>::"});

std::string WithoutNamespaces(std::string_view name) {
  std::string out;
  for (size_t at = 0; at < name.size();) {
    const bool word_begins = at == 0 || (!IsWordChar(name[at - 1]) && name[at - 1] != ':');
    size_t skip = 0;
    for (const std::string_view space : kFamiliar) {
      if (skip == 0 && word_begins && name.substr(at).starts_with(space)) skip = space.size();
    }
    // What preceded the namespace also precedes what follows it.
    if (skip > 0 && name.substr(at + skip).starts_with("(anonymous namespace)::")) {
      skip += std::string_view("(anonymous namespace)::").size();
    }
    if (skip == 0) out += name[at];
    at += skip == 0 ? 1 : skip;
  }
  return out;
}

// The start of the parameter list, or npos. A "(" after a space is prose: "Memset (Device)".
size_t ParametersBegin(std::string_view name) {
  if (!name.ends_with(')')) return name.npos;
  int depth = 0;
  for (size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) return at == 0 || name[at - 1] == ' ' ? name.npos : at;
  }
  return name.npos;
}

// The start of the last word outside template arguments: after the return type.
size_t FunctionBegin(std::string_view name) {
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<' || name[at] == '(') ++depth;
    if ((name[at] == '>' || name[at] == ')') && depth > 0) --depth;
    if (name[at] == ' ' && depth == 0 && at + 1 < name.size()) begin = at + 1;
  }
  return begin;
}

}  // namespace

std::string PlainName(std::string_view name) {
  const size_t parameters = ParametersBegin(name);
  if (parameters == name.npos && !name.starts_with("void ")) return std::string(name);
  std::string_view function = name.substr(0, parameters);
  while (function.ends_with(' ')) function.remove_suffix(1);
  function.remove_prefix(FunctionBegin(function));
  std::string plain = WithoutNamespaces(function);
  return plain.empty() ? std::string(name) : plain;
}

std::string ShortName(std::string_view name) {
  std::string plain = PlainName(name);
  if (plain == name) return plain;
  const size_t arguments = plain.find('<');
  if (arguments != plain.npos && arguments > 0) plain.resize(arguments);
  return plain;
}

std::string ShownName(std::string_view text) {
  constexpr std::string_view kBetween = " | ";
  std::string shown;
  for (size_t at = 0; at != text.npos;) {
    const size_t end = text.find(kBetween, at);
    if (at > 0) shown += kBetween;
    shown += PlainName(text.substr(at, end == text.npos ? end : end - at));
    at = end == text.npos ? end : end + kBetween.size();
  }
  return shown;
}

std::string_view OperatorLabel(std::string_view name) {
  constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
  return name.starts_with(kEngine) ? name.substr(kEngine.size()) : name;
}

}  // namespace stepscope
