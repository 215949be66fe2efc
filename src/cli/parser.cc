// The only file that knows CLI11: it splits words into options and values.
#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

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

std::unexpected<Error> Unexpected(const Command& command, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& option : command.options()) {
    if (!option->is_argument()) names.push_back(option->long_name());
  }
  const std::string nearest =
      word.starts_with("--") ? NearestName(word.substr(0, word.find('=')), names) : "";
  return std::unexpected(
      Error{"unexpected argument '" + WithoutPasswords(word) + "'", "",
            nearest.empty() ? SeeHelp(command) : "did you mean '" + nearest + "'?"});
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
  return std::unexpected(
      Error{"'" + text + "' is out of range", "", fmt::format("from {} to {}", low, high)});
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
  if (option.arity != Arity::kOne) added->expected(1, CLI::detail::expected_max_vector_size);
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
                "give one of them"});
    }
    const Words values = option->arity == Option::Arity::kSwitch ? Words{""} : parsed->results();
    if (auto stored = Store(command, *option, values); !stored) return stored;
  }
  return {};
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
    return std::unexpected(Error{WithoutPasswords(error.what()), "", SeeHelp(command)});
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
  if (auto parsed = ParseOptions(*command, rest); !parsed) return std::unexpected(parsed.error());
  return Parsed{command, false};
}

}  // namespace stepscope::cli
