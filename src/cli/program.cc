// Parses the command line, runs the command, and turns what is thrown into an exit code.
#include "cli/program.h"

#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <string_view>
#include <system_error>

#include "cli/help.h"
#include "cli/parser.h"
#include "cli/root.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

// The files of --plugin, of any command: "--plugin FILE" or "--plugin=FILE", before "--".
std::vector<std::string> PluginsIn(const std::vector<std::string>& words) {
  constexpr std::string_view kOption = "--plugin";
  std::vector<std::string> files;
  for (size_t w = 0; w < words.size() && words[w] != "--"; ++w) {
    if (words[w] == kOption && w + 1 < words.size()) files.push_back(words[++w]);
    if (words[w].starts_with("--plugin=")) files.push_back(words[w].substr(kOption.size() + 1));
  }
  return files;
}

Result<void> LoadPlugins(const std::vector<std::string>& files, const PluginLoader& load) {
  for (const std::string& file : files) {
    if (!load) {
      return std::unexpected(
          Error{"analyses in Python files need the stepscope of the Python package", "--plugin",
                "./dev wheel makes it; pip install it, and run 'python -m stepscope'"});
    }
    if (auto loaded = load(file); !loaded) return loaded;
  }
  return {};
}

int RunWords(const std::vector<std::string>& words, const PluginLoader& load_plugin) {
  if (const auto loaded = LoadPlugins(PluginsIn(words), load_plugin); !loaded) {
    PrintError(loaded.error());
    return kFailed;
  }
  const auto root = Root();
  if (words.empty()) {
    fmt::print("{}", HelpOf(*root));
    return kFailed;
  }
  if (words.front() == "--version") {
    fmt::print("stepscope {}\n", STEPSCOPE_VERSION);
    return kDone;
  }
  const auto parsed = Parse(*root, words);
  if (!parsed) {
    PrintError(parsed.error());
    return kFailed;
  }
  if (!parsed->wants_help) return parsed->command->Run();
  fmt::print("{}", HelpOf(*parsed->command));
  return kDone;
}

}  // namespace

int RunProgram(const std::vector<std::string>& words, const PluginLoader& load_plugin) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return RunWords(words, load_plugin);
  } catch (const std::system_error& error) {
    // Readers such as head close the pipe early; that is not an error.
    if (error.code() == std::errc::broken_pipe) return kDone;
    PrintError({error.what(), "standard output", ""});
    return kFailed;
  } catch (const std::exception& error) {  // out of memory, or a defect
    PrintError({error.what(), "", "report this with the command and its input"});
    return kFailed;
  }
}

}  // namespace stepscope::cli
