// Finds and loads DuckDB.
#include "query/duckdb_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "stepscope/query.h"

namespace stepscope::query {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "STEPSCOPE_DUCKDB";
constexpr const char* kFile = "libduckdb.so";
constexpr std::string_view kOurFolder = ".local/lib/stepscope";

// Of the C API that is used here, all is in every version since 1.4; of 2 the first was tried.
constexpr int kFirstMajor = 1, kFirstMinor = 4, kLastMajor = 2;

#if defined(__aarch64__)
constexpr std::string_view kMachine = "arm64";
#else
constexpr std::string_view kMachine = "x64";
#endif

std::string HowToGetIt() {
  const std::string package = fmt::format("node-bindings-linux-{}", kMachine);
  return fmt::format(
      "mkdir -p ~/{0} && curl -L https://registry.npmjs.org/@duckdb/{1}/-/{1}-{2}-r.1.tgz | "
      "tar -xzO package/{3} > ~/{0}/{3}",
      kOurFolder, package, kDuckDbVersion, kFile);
}

const char* Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// Where the library would be beside the program and, in Python, the extension module.
std::vector<fs::path> FoldersOfOurs() {
  std::vector<fs::path> folders;
  std::error_code error;
  Dl_info ours{};
  std::vector<fs::path> files = {"/proc/self/exe"};
  if (dladdr(reinterpret_cast<const void*>(&LoadDuckDb), &ours) != 0 && ours.dli_fname != nullptr)
    files.insert(files.begin(), ours.dli_fname);
  for (const fs::path& file : files) {
    if (!file.has_parent_path()) continue;  // the name of a program that the shell found
    const fs::path real = fs::canonical(file, error);
    if (error) continue;
    folders.push_back(real.parent_path());
    folders.push_back(real.parent_path() / "../lib/stepscope");
  }
  if (const char* home = Variable("HOME")) folders.push_back(fs::path(home) / kOurFolder);
  return folders;
}

std::string& AlsoFound() {
  static std::string file;
  return file;
}

std::vector<std::string> Candidates() {
  std::vector<std::string> files;
  for (const fs::path& folder : FoldersOfOurs()) {
    std::error_code error;
    const fs::path file = folder / kFile;
    if (fs::exists(file, error)) files.push_back(file);
  }
  files.emplace_back(kFile);  // where the system looks
  if (!AlsoFound().empty()) files.push_back(AlsoFound());
  return files;
}

Result<void*> OpenLibrary() {
  if (const char* given = Variable(kVariable)) {
    if (void* library = dlopen(given, RTLD_NOW | RTLD_LOCAL)) return library;
    const char* why = dlerror();
    return std::unexpected(Error{std::string("cannot load DuckDB: ") + (why ? why : "unknown"),
                                 kVariable, "set it to the path of " + std::string(kFile)});
  }
  for (const std::string& file : Candidates()) {
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return std::unexpected(Error{
      "queries need DuckDB " + std::string(kDuckDbVersion) + ", and " + kFile + " was not found",
      kVariable, HowToGetIt()});
}

template <class Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool IsOurs(const std::string& version) {
  int major = 0, minor = 0;
  if (std::sscanf(version.c_str(), "v%d.%d", &major, &minor) != 2) return false;
  if (major > kLastMajor) return false;
  return major > kFirstMajor || (major == kFirstMajor && minor >= kFirstMinor);
}

Error WrongLibrary(const std::string& what) {
  return {what, "", "set " + std::string(kVariable) + ", or: " + HowToGetIt()};
}

Result<DuckDb> Load() {
  const auto library = OpenLibrary();  // never unloaded
  if (!library) return std::unexpected(library.error());
  DuckDb db{};
  if (!Find(*library, "duckdb_library_version", db.library_version))
    return std::unexpected(WrongLibrary("the library is not DuckDB"));
  const std::string version = db.library_version();
  if (!IsOurs(version)) {
    return std::unexpected(
        WrongLibrary(fmt::format("DuckDB is {}, which is not from 1.4 to 2.x", version)));
  }
  const char* missing = nullptr;
#define STEPSCOPE_FIND(returns, name, parameters) \
  if (!Find(*library, "duckdb_" #name, db.name)) missing = "duckdb_" #name;
  STEPSCOPE_DUCKDB_FUNCTIONS(STEPSCOPE_FIND)
#undef STEPSCOPE_FIND
  if (missing != nullptr)
    return std::unexpected(WrongLibrary(fmt::format("DuckDB {} has no {}", version, missing)));
  return db;
}

}  // namespace

Result<const DuckDb*> LoadDuckDb() {
  static const Result<DuckDb> library = Load();
  if (!library) return std::unexpected(library.error());
  return &*library;
}

}  // namespace stepscope::query

void stepscope::AlsoFindDuckDb(std::string file) { query::AlsoFound() = std::move(file); }
