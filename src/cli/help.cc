// Lays out options in two columns.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope::cli {
namespace {

constexpr size_t kColumn = 30;  // where explanations begin

std::string Row(const std::string& left, const std::string& right) {
  std::string row = "  " + left;
  if (row.size() + 2 > kColumn) {
    row += "\n" + std::string(kColumn, ' ');
  } else {
    row.resize(kColumn, ' ');
  }
  return row + right + "\n";
}

std::string ArgumentsOf(const Command& command) {
  std::string text;
  for (const auto& option : command.options()) {
    if (option->is_argument()) text += Row(Spelling(*option), option->help);
  }
  return text.empty() ? "" : "\nArguments:\n" + text;
}

std::string OptionsOf(const Command& command) {
  std::vector<std::string> groups = {""};
  for (const auto& option : command.options()) {
    if (std::ranges::find(groups, option->group) == groups.end()) groups.push_back(option->group);
  }
  std::string text;
  for (const std::string& group : groups) {
    text += "\n" + (group.empty() ? "Options" : group) + ":\n";
    for (const auto& option : command.options()) {
      if (option->group == group && !option->is_argument())
        text += Row(Spelling(*option), Explanation(*option));
    }
    if (group.empty()) text += Row("-h,--help", "Print this help");
  }
  return text;
}

std::string SubcommandsOf(const Command& command) {
  std::string text;
  for (const auto& sub : command.subcommands()) text += Row(sub->name(), sub->about());
  return "\nCommands:\n" + text;
}

}  // namespace

std::string Spelling(const Option& option) {
  if (option.is_argument()) {
    return option.names +
           (option.arity == Option::Arity::kWords && !option.names.contains("...") ? "..." : "");
  }
  return option.names + (option.value.empty() ? "" : " " + option.value);
}

std::string Explanation(const Option& option) {
  std::string text = option.help;
  if (option.required) {
    text += " (required)";
  } else if (!option.preset.empty()) {
    text += " (default: " + option.preset + ")";
  }
  return text;
}

std::string Usage(const Command& command) {
  std::string usage = command.path();
  if (!command.subcommands().empty()) return usage + " COMMAND";
  for (const auto& option : command.options()) {
    if (!option->is_argument()) continue;
    usage += option->required ? " " + Spelling(*option) : " [" + Spelling(*option) + "]";
  }
  for (const auto& option : command.options()) {
    if (option->required && !option->is_argument()) {
      usage += " " + option->long_name() + " " + option->value;
    }
  }
  usage += " [OPTIONS]";
  return command.after_dashes().empty() ? usage : usage + " [-- " + command.after_dashes() + "]";
}

std::string ValueNotes(const Command& command) {
  const auto takes = [&](std::string_view value) {
    return std::ranges::any_of(command.options(), [&](const auto& option) {
      return option->number && option->value.starts_with(value);
    });
  };
  std::string notes;
  if (takes("TIME")) notes = "TIME is 90 (seconds), 250ms, 90s, 30m, 1h30m, 54d or 2w.";
  if (takes("SHARE")) notes += std::string(notes.empty() ? "" : " ") + "SHARE is 0.1 or 10%.";
  return notes;
}

std::string HelpOf(const Command& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", command.about(), Usage(command));
  if (command.subcommands().empty()) {
    text += ArgumentsOf(command) + OptionsOf(command);
  } else {
    text += SubcommandsOf(command);
  }
  if (const std::string notes = ValueNotes(command); !notes.empty()) text += "\n" + notes + "\n";
  if (!command.examples().empty()) text += "\nExamples:\n";
  for (const auto& [meaning, line] : command.examples()) {
    text += fmt::format("  # {}\n  {}\n", meaning, line);
  }
  if (!command.notes().empty()) text += "\n" + command.notes() + "\n";
  return text;
}

}  // namespace stepscope::cli
