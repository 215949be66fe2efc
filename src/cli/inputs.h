// Finds where traces lie that a command line names: paths, or URLs of object stores and servers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "stepscope/result.h"
#include "stepscope/storage.h"

namespace stepscope::cli {

struct Inputs {
  std::vector<std::string> paths;  // of the file system, and names of the storage
  StorageRef storage;              // null: all are paths
};

// Finds what paths and URLs lead to, with options such as "anon=true" for the file system of the
// URLs. Shall not throw.
using UrlOpener = std::function<Result<Inputs>(const std::vector<std::string>& given,
                                               const std::vector<std::string>& options)>;

// Who opens URLs in this process, none for nobody; and the words of the command that runs.
void SetUrlOpener(UrlOpener opener, std::vector<std::string> words);

// --storage-option.
void AddStorageOptions(Command& command, std::vector<std::string>& options);

// What was given, with URLs opened. Fails where nobody opens them.
Result<Inputs> OpenInputs(const std::vector<std::string>& given,
                          const std::vector<std::string>& options);

}  // namespace stepscope::cli
