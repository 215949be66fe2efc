// Parses the command line, runs the command, and turns what is thrown into an exit code.
#include "cli/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "base/unfinished_files.h"
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

int RunWords(const std::vector<std::string>& words, const Means& means) {
  SetUrlOpener(means.open_urls, words);
  if (const auto loaded = LoadPlugins(PluginsIn(words), means.load_plugin); !loaded) {
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

thread_local bool lacked_memory = false;

// What std::filesystem throws from functions that may not throw, nobody sees when it ends us.
void NoteLackOfMemory() {
  lacked_memory = true;
  throw std::bad_alloc();
}

[[noreturn]] void EndWithoutMemory() {
  RemoveUnfinishedForGood();
  std::_Exit(TellOutOfMemory());
}

// nlohmann's documents allocate in their destructor, from where nothing may be thrown.
[[noreturn]] void EndByTerminate() {
  const auto thrown = std::current_exception();
  if (!thrown && lacked_memory) EndWithoutMemory();
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    EndWithoutMemory();
  } catch (...) {  // a defect, of which the system keeps what it can
  }
  std::abort();
}

constexpr const char* kWrite = "write";

[[noreturn]] void ThrowErrno() { throw std::system_error(errno, std::generic_category(), kWrite); }

// Readers such as head close the pipe early; that is not an error.
int AfterWriting(const std::system_error& error) {
  if (error.code() == std::errc::broken_pipe) return kDone;
  const bool wrote = std::string_view(error.what()).contains(kWrite);
  if (error.code() == std::errc::resource_unavailable_try_again && !wrote) {
    PrintError({"cannot start a thread: " + error.code().message(), "",
                "raise the limit of processes (ulimit -u, the limit of the container)"});
    return kFailed;
  }
  PrintError({"cannot write the result: " + error.code().message(), "standard output", ""});
  return kFailed;
}

}  // namespace

int TellOutOfMemory() {
  constexpr std::string_view kText =
      "stepscope: out of memory\n"
      "  try:   read fewer ranks (--ranks) or run fewer analyses (--only), or allow more memory "
      "(ulimit -v, the limit of the container)\n";
  [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, kText.data(), kText.size());
  return kFailed;
}

int RunProgram(const std::vector<std::string>& words, const Means& means) {
  // What cannot be written is an error that is told.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  std::set_terminate(&EndByTerminate);
  std::set_new_handler(&NoteLackOfMemory);
  try {
    const int code = RunWords(words, means);
    if (std::fflush(stdout) != 0) ThrowErrno();
    return code;
  } catch (const std::system_error& error) {
    return AfterWriting(error);
  } catch (const std::bad_alloc&) {
    return TellOutOfMemory();
  } catch (const std::exception& error) {  // a defect
    PrintError({error.what(), "", "report this with the command and its input"});
    return kFailed;
  }
}

}  // namespace stepscope::cli
