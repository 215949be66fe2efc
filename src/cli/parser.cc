// Splits words into options and values. The only file that includes CLI11.
#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/nearest_name.h"

namespace stepscope::cli {
namespace {

using Words = std::vector<std::string>;

// An argument that was not expected is repeated: of an address no user and password.
std::string WithoutPasswords(std::string text) {
  for (size_t at = 0; (at = text.find("://", at)) != text.npos; at += 3) {
    const size_t from = at + 3, space = text.find(' ', from);
    const size_t to = std::string_view(text).substr(0, space).rfind('@');
    if (to != text.npos && to > from) text.replace(from, to - from, "...");
  }
  return text;
}

std::string SeeHelp(const Command& command) { return command.path() + " --help"; }

bool IsOption(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

// Options of the command, or of its subcommands, with the path of the command that has them.
std::vector<std::pair<std::string, std::string>> OptionsUnder(const Command& command) {
  std::vector<std::pair<std::string, std::string>> all = {{"--help", command.path()}};
  for (const auto& option : command.options()) {
    if (!option->is_argument()) all.emplace_back(option->long_name(), command.path());
  }
  for (const auto& sub : command.subcommands())
    std::ranges::move(OptionsUnder(*sub), std::back_inserter(all));
  return all;
}

std::unexpected<Error> Unexpected(const Command& command, const std::string& word) {
  if (!IsOption(word)) {
    return std::unexpected(
        Error{"unexpected argument '" + WithoutPasswords(word) + "'", "", SeeHelp(command)});
  }
  const auto options = OptionsUnder(command);
  std::vector<std::string> names;
  for (const auto& [name, path] : options) names.push_back(name);
  const std::string given = word.substr(0, word.find('='));
  const std::string nearest = given.starts_with("--") ? NearestName(given, names) : "";
  std::string hint = SeeHelp(command);
  if (!nearest.empty()) {
    const std::string& path =
        options[static_cast<size_t>(std::ranges::find(names, nearest) - names.begin())].second;
    hint = "did you mean '" + (path == command.path() ? nearest : path + " " + nearest) + "'?";
  }
  return std::unexpected(Error{"unknown option '" + WithoutPasswords(given) + "'", "", hint});
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

Result<void> Check(const Option& option, const std::string& text) {
  if (!option.choices.empty() && std::ranges::find(option.choices, text) == option.choices.end()) {
    return std::unexpected(Error{"unknown value '" + text + "'", "", Join(option.choices)});
  }
  if (!option.number || !option.range) return {};
  const auto number = option.number(text);
  if (!number) return std::unexpected(number.error());
  const auto [low, high] = *option.range;
  if (*number >= low && *number <= high) return {};
  const char* const unit = option.value.starts_with("TIME") ? " s" : "";
  return std::unexpected(Error{"'" + text + "' is out of range", "",
                               fmt::format("from {}{} to {}{}", low, unit, high, unit)});
}

// Stores what was given. Errors name the option.
Result<void> Store(const Command& command, const Option& option, const Words& values) {
  for (const std::string& value : values) {
    auto stored = Check(option, value);
    if (stored) stored = option.store(value);
    if (stored) continue;
    Error error = stored.error();
    error.where = option.long_name();
    if (error.hint.empty()) error.hint = SeeHelp(command);
    return std::unexpected(std::move(error));
  }
  return {};
}

struct Given {
  const Option* option;
  CLI::Option* parsed;
};

CLI::Option* AddTo(CLI::App& app, const Option& option) {
  using Arity = Option::Arity;
  const auto ignore = [](const CLI::results_t&) { return true; };
  if (option.arity == Arity::kSwitch) return app.add_flag(option.names);
  CLI::Option* added = app.add_option(option.names, ignore);
  added->type_name(option.value);
  // -1: without a limit.
  if (option.arity != Arity::kOne) added->expected(1, -1);
  if (option.arity == Arity::kCommas) added->delimiter(',');
  added->allow_extra_args(option.arity == Arity::kWords);
  return added;
}

Result<void> StoreAll(const Command& command, const std::vector<Given>& all) {
  const auto is_given = [&](std::string_view name) {
    return std::ranges::any_of(all, [&](const Given& given) {
      return given.option->long_name() == name && given.parsed->count() > 0;
    });
  };
  for (const auto& [option, parsed] : all) {
    const bool given = parsed->count() > 0;
    if (option->required && !given) {
      return std::unexpected(Error{"missing " + option->long_name(), "", SeeHelp(command)});
    }
    if (!given) continue;
    if (!option->excludes.empty() && is_given(option->excludes)) {
      return std::unexpected(
          Error{option->long_name() + " and " + option->excludes + " exclude each other", "",
                "leave out " + option->long_name() + " or " + option->excludes});
    }
    if (const auto missing = std::ranges::find_if_not(option->needs, is_given);
        missing != option->needs.end()) {
      return std::unexpected(
          Error{option->long_name() + " needs " + *missing, option->long_name(),
                "give " + *missing + " too, or leave out " + option->long_name()});
    }
    const bool is_switch = option->arity == Option::Arity::kSwitch;
    if (is_switch && parsed->results() != Words(parsed->count(), "true")) {
      return std::unexpected(Error{option->long_name() + " takes no value", option->long_name(),
                                   "write " + option->long_name()});
    }
    const Words values = is_switch ? Words{""} : parsed->results();
    if (auto stored = Store(command, *option, values); !stored) return stored;
  }
  return {};
}

// CLI11 opens its messages with the option's name. It finds too few values or too many.
Error Unreadable(const Command& command, const std::string& message) {
  const std::string name = message.substr(0, message.find(':'));
  for (const auto& option : command.options()) {
    const bool is_this = option->long_name() == name || option->names.starts_with(name + ",");
    if (!is_this || name.empty()) continue;
    if (message.contains("At Most")) {
      return {"more than one value of " + option->long_name(), option->long_name(), "give one"};
    }
    return {"missing value of " + option->long_name(), option->long_name(),
            "write " + option->long_name() + " " + option->value};
  }
  return {WithoutPasswords(message), "", SeeHelp(command)};
}

Result<void> ParseOptions(const Command& command, std::span<const std::string> words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<Given> all;
  for (const auto& option : command.options()) {
    all.push_back({option.get(), AddTo(app, *option)});
  }
  try {
    app.parse(Words(words.rbegin(), words.rend()));  // CLI11 takes words from the end
  } catch (const CLI::ParseError& error) {
    return std::unexpected(Unreadable(command, error.what()));
  }
  const Words extra = app.remaining();
  if (!extra.empty()) return Unexpected(command, extra.front());
  return StoreAll(command, all);
}

std::unexpected<Error> NoSuchCommand(const Command& command, std::span<const std::string> words) {
  if (words.empty()) {
    return std::unexpected(
        Error{"missing subcommand of '" + command.path() + "'", "", SeeHelp(command)});
  }
  if (IsOption(words.front())) return Unexpected(command, words.front());
  std::vector<std::string> names;
  for (const auto& sub : command.subcommands()) names.push_back(sub->name());
  const std::string nearest = NearestName(words.front(), names);
  return std::unexpected(Error{"unknown subcommand '" + WithoutPasswords(words.front()) + "'", "",
                               nearest.empty()
                                   ? SeeHelp(command)
                                   : "did you mean '" + command.path() + " " + nearest + "'?"});
}

bool AsksForHelp(std::span<const std::string> words) {
  const auto end = std::ranges::find(words, "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

// Takes what follows "--" where that is for another program.
std::span<const std::string> WithoutRest(const Command& command,
                                         std::span<const std::string> words) {
  if (command.after_dashes().empty()) return words;
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end()) return words;
  command.StoreAfterDashes({dashes + 1, words.end()});
  return words.first(static_cast<size_t>(dashes - words.begin()));
}

}  // namespace

Result<Parsed> Parse(const Command& root, const std::vector<std::string>& words) {
  const Command* command = &root;
  std::span<const std::string> rest = words;
  while (!rest.empty()) {
    const Command* sub = command->FindSub(rest.front());
    if (sub == nullptr) break;
    command = sub;
    rest = rest.subspan(1);
  }
  if (AsksForHelp(rest)) return Parsed{command, true};
  if (!command->subcommands().empty()) return NoSuchCommand(*command, rest);
  rest = WithoutRest(*command, rest);
  if (auto parsed = ParseOptions(*command, rest); !parsed) return std::unexpected(parsed.error());
  return Parsed{command, false};
}

}  // namespace stepscope::cli
