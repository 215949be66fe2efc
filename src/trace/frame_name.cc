// Takes names of frames apart.
#include "trace/frame_name.h"

#include <charconv>
#include <optional>
#include <utility>

namespace stepscope {
namespace {

constexpr std::string_view kModule = "nn.Module: ";
constexpr std::string_view kDigits = "0123456789";

std::optional<int64_t> LineOf(std::string_view text) {
  int64_t line = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || line < 0)
    return std::nullopt;
  return line;
}

// Whether every method has such an owner.
bool IsGenericOwner(std::string_view owner) {
  return owner == "type" || owner == "module" || owner == "PyCapsule" ||
         owner.starts_with("pybind11");
}

std::string WithoutAddress(std::string_view name) {
  const size_t at = name.rfind(" at 0x");
  if (at == std::string_view::npos) return std::string(name);
  return std::string(name.substr(0, at)) + (name.ends_with('>') ? ">" : "");
}

// Of "<built-in method acquire of _thread.lock object at 0x7f...>".
std::optional<std::string> BuiltIn(std::string_view name) {
  constexpr std::string_view kFunction = "<built-in function ", kMethod = "<built-in method ";
  if (!name.ends_with('>')) return std::nullopt;
  if (name.starts_with(kFunction))
    return std::string(name.substr(kFunction.size(), name.size() - kFunction.size() - 1));
  if (!name.starts_with(kMethod)) return std::nullopt;
  const std::string_view rest = name.substr(kMethod.size(), name.size() - kMethod.size() - 1);
  const size_t of = rest.find(" of ");
  if (of == std::string_view::npos) return std::string(rest);
  const std::string_view method = rest.substr(0, of);
  std::string_view owner = rest.substr(of + 4);
  owner = owner.substr(0, owner.find(" object"));
  if (method.empty()) return "<built-in method of " + std::string(owner) + ">";
  if (IsGenericOwner(owner)) return std::string(method);
  return std::string(owner) + "." + std::string(method);
}

// Of "data/video.py(42): preprocess".
std::optional<FrameName> InFile(std::string_view name) {
  const size_t close = name.rfind("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const size_t open = name.rfind('(', close);
  if (open == std::string_view::npos) return std::nullopt;
  const auto line = LineOf(name.substr(open + 1, close - open - 1));
  if (!line) return std::nullopt;
  return FrameName{std::string(name.substr(close + 3)), std::string(name.substr(0, open)), *line};
}

// Of "video.py:42 preprocess", "jaxlib.utils safe_zip", "builtins len", "<unknown> append".
FrameName AfterDollar(std::string_view name) {
  const size_t space = name.rfind(' ');
  if (space == std::string_view::npos) return {.function = std::string(name)};
  const std::string_view place = name.substr(0, space);
  std::string function(name.substr(space + 1));
  const size_t colon = place.rfind(':');
  if (colon != std::string_view::npos) {
    if (const auto line = LineOf(place.substr(colon + 1)))
      return {std::move(function), std::string(place.substr(0, colon)), *line};
  }
  if (place == "builtins" || place == "<unknown>") return {.function = std::move(function)};
  return {.function = std::string(place) + "." + function};
}

}  // namespace

FrameName ParseFrameName(std::string_view name) {
  if (name.starts_with('$')) return AfterDollar(name.substr(1));
  if (name.starts_with(kModule)) return {.function = std::string(name)};
  if (auto built_in = BuiltIn(name)) return {.function = std::move(*built_in)};
  if (auto in_file = InFile(name)) return std::move(*in_file);
  return {.function = WithoutAddress(name)};
}

std::string LabelOf(const FrameName& name) {
  if (name.file.empty()) return name.function;
  const size_t slash = name.file.find_last_of("/\\");
  const std::string file = slash == std::string::npos ? name.file : name.file.substr(slash + 1);
  return name.function + " (" + file + ":" + std::to_string(name.line) + ")";
}

std::string_view ModuleOfFrame(std::string_view name) {
  return name.starts_with(kModule) ? name.substr(kModule.size()) : std::string_view();
}

std::string_view TypeOfModule(std::string_view module) {
  const size_t last = module.find_last_not_of(kDigits);
  const bool numbered =
      last != std::string_view::npos && last > 0 && last + 1 < module.size() && module[last] == '_';
  return numbered ? module.substr(0, last) : module;
}

}  // namespace stepscope
