// stepscope completions SHELL: scripts that complete commands, options and values.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/root.h"

namespace stepscope::cli {
namespace {

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void ForEach(const Command& command, const std::function<void(const Command&)>& visit) {
  visit(command);
  for (const auto& sub : command.subcommands()) ForEach(*sub, visit);
}

const std::vector<std::string>& ValuesOf(const Option& option) {
  return option.choices.empty() ? option.suggestions : option.choices;
}

// What can follow a command: its subcommands, options, and the values of its arguments.
std::vector<std::string> WordsAfter(const Command& command) {
  std::vector<std::string> words;
  for (const auto& sub : command.subcommands()) words.push_back(sub->name());
  for (const auto& option : command.options()) {
    if (!option->is_argument()) {
      words.push_back(option->long_name());
    } else {
      words.insert(words.end(), ValuesOf(*option).begin(), ValuesOf(*option).end());
    }
  }
  return words;
}

std::string Bash(const Command& root) {
  std::string paths, words, values;
  ForEach(root, [&](const Command& command) {
    if (&command != &root)
      paths += fmt::format("      '{}') path=$path\" $word\" ;;\n", command.path());
    words += fmt::format("    '{}') words='{}' ;;\n", command.path(), Join(WordsAfter(command)));
    for (const auto& option : command.options()) {
      if (option->is_argument() || ValuesOf(*option).empty()) continue;
      values += fmt::format("    '{} {}') words='{}' ;;\n", command.path(), option->long_name(),
                            Join(ValuesOf(*option)));
    }
  });
  return fmt::format(
      R"(# bash completion for stepscope: source it, or put it in /etc/bash_completion.d
_stepscope() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local path=stepscope word words=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$path $word" in
{}    esac
  done
  case "$path" in
{}  esac
  case "$path $previous" in
{}  esac
  local before=""
  if [[ $current == *,* ]]; then
    before="${{current%,*}},"
    current="${{current##*,}}"
  fi
  local taken=" ${{COMP_WORDS[*]//,/ }} " free=""
  for word in $words; do
    [[ $word == "$current" || $taken != *" $word "* ]] && free+=" $word"
  done
  COMPREPLY=($(compgen -P "$before" -W "$free" -- "$current"))
  [[ -z $before ]] && COMPREPLY+=($(compgen -f -- "$current"))
  return 0
}}
complete -o filenames -F _stepscope stepscope
)",
      paths, words, values);
}

std::string Fish(const Command& root) {
  std::string text = "# fish completion for stepscope: put it in ~/.config/fish/completions\n";
  ForEach(root, [&](const Command& command) {
    std::string seen = "__fish_use_subcommand";
    if (&command != &root) {
      seen.clear();
      for (std::string_view rest = std::string_view(command.path()).substr(10); !rest.empty();) {
        const size_t end = std::min(rest.find(' '), rest.size());
        seen += fmt::format("{}__fish_seen_subcommand_from {}", seen.empty() ? "" : "; and ",
                            rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    for (const auto& sub : command.subcommands()) {
      text += fmt::format("complete -c stepscope -n '{}' -a {} -d \"{}\"\n", seen, sub->name(),
                          sub->about());
    }
    for (const auto& option : command.options()) {
      const std::string values = Join(ValuesOf(*option));
      const std::string name =
          option->is_argument() ? "" : fmt::format(" -l {}", option->long_name().substr(2));
      if (option->is_argument() && values.empty()) continue;
      text += fmt::format("complete -c stepscope -n '{}'{}{} -d \"{}\"\n", seen, name,
                          values.empty() ? "" : " -x -a '" + values + "'", option->help);
    }
  });
  return text;
}

int PrintCompletions(const Command& root, const std::string& shell) {
  if (shell == "fish") {
    fmt::print("{}", Fish(root));
  } else if (shell == "zsh") {
    fmt::print("autoload -U +X bashcompinit && bashcompinit\n{}", Bash(root));
  } else {
    fmt::print("{}", Bash(root));
  }
  return kDone;
}

}  // namespace

void AddCompletions(Command& root) {
  auto shell = std::make_shared<std::string>();
  Command& command = root.Sub("completions", "Print a completion script for a shell");
  command.Examples(
      {{"load with: source <(stepscope completions bash)", "stepscope completions bash"}});
  command.Argument("SHELL", *shell, "bash, zsh or fish").Choices({"bash", "zsh", "fish"});
  command.Runs([shell, &root] { return PrintCompletions(root, *shell); });
}

}  // namespace stepscope::cli
