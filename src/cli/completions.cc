// stepscope completions SHELL: scripts that complete commands, options and values.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
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

// Whether a file may be meant: values that are listed, and numbers, are none.
bool TakesFiles(const Option& option) { return ValuesOf(option).empty() && !option.number; }

// "stepscope analyze --param|stepscope analyze -p", as a case of a shell.
std::string CaseOf(const Command& command, const Option& option) {
  std::string all;
  for (size_t at = 0; at < option.names.size();) {
    const size_t end = std::min(option.names.find(',', at), option.names.size());
    all += fmt::format("{}'{} {}'", all.empty() ? "" : "|", command.path(),
                       option.names.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

std::string Bash(const Command& root) {
  std::string paths, words, values;
  ForEach(root, [&](const Command& command) {
    if (&command != &root)
      paths += fmt::format("      '{}') place=$place\" $word\" ;;\n", command.path());
    words += fmt::format("    '{}') offer='{}' ;;\n", command.path(), Join(WordsAfter(command)));
    for (const auto& option : command.options()) {
      if (option->is_argument() || option->arity == Option::Arity::kSwitch) continue;
      values += fmt::format("    {}) offer='{}' files={} ;;\n", CaseOf(command, *option),
                            Join(ValuesOf(*option)), TakesFiles(*option) ? "1" : "");
    }
  });
  return fmt::format(
      R"(# bash completion for stepscope: source it, or put it in /etc/bash_completion.d
_stepscope() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local place=stepscope word offer="" files=1 before=""
  # --only=NAME: bash splits it at "=", zsh does not.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="${{COMP_WORDS[COMP_CWORD-2]}}"
  elif [[ $current == --*=* ]]; then
    previous="${{current%%=*}}"
    before="$previous="
    current="${{current#*=}}"
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$place $word" in
{}    esac
  done
  case "$place" in
{}  esac
  case "$place $previous" in
{}  esac
  if [[ $current == *,* ]]; then
    before+="${{current%,*}},"
    current="${{current##*,}}"
    files=""
  fi
  local taken=" ${{COMP_WORDS[*]//[,=]/ }} " free=""
  for word in $offer; do
    [[ $word == "$current" || $taken != *" $word "* ]] && free+=" $word"
  done
  COMPREPLY=($(compgen -P "$before" -W "$free" -- "$current"))
  if [[ ${{#COMPREPLY[@]}} == 1 && ${{COMPREPLY[0]}} == *= ]]; then
    compopt -o nospace 2> /dev/null
  fi
  if [[ -n $files && -z $before ]]; then
    local found=($(compgen -f -- "$current"))
    [[ ${{#found[@]}} -gt 0 ]] && compopt -o filenames 2> /dev/null
    COMPREPLY+=("${{found[@]}}")
  fi
  return 0
}}
complete -F _stepscope stepscope
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
      std::string name =
          option->is_argument() ? "" : fmt::format(" -l {}", option->long_name().substr(2));
      if (option->names.contains(','))
        name += fmt::format(" -s {}", option->names.substr(1, option->names.find(',') - 1));
      if (option->is_argument() && values.empty()) continue;
      // A table is followed by files.
      const bool closed = !option->is_argument() || !option->choices.empty();
      text += fmt::format("complete -c stepscope -n '{}'{}{} -d \"{}\"\n", seen, name,
                          values.empty() ? ""
                          : closed       ? " -x -a '" + values + "'"
                                         : " -a '" + values + "'",
                          option->help);
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
  AddPlugins(command);
  command.Runs([shell, &root] { return PrintCompletions(root, *shell); });
}

}  // namespace stepscope::cli
