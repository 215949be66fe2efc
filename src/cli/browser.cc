// Writes a temporary page that redirects, and runs xdg-open.
#include "cli/browser.h"

#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/file_writer.h"

namespace stepscope::cli {
namespace {

bool HasDesktop() {
  return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
}

// Returns the path of a page that redirects to `url`; empty if it cannot be written.
std::string RedirectPage(const std::string& url) {
  std::error_code failed;
  const char* own = std::getenv("XDG_RUNTIME_DIR");
  const std::string folder = own != nullptr && *own != '\0'
                                 ? std::string(own)
                                 : std::filesystem::temp_directory_path(failed).string();
  std::string path = folder + "/stepscope-XXXXXX.html";
  const int fd = mkstemps(path.data(), 5);  // mode 0600
  if (fd < 0) return "";
  close(fd);
  const auto written = WriteFile(  // which keeps the mode
      path, fmt::format("<!doctype html><meta http-equiv=\"refresh\" "
                        "content=\"0;url={}\"><title>Stepscope</title>\n",
                        url));
  if (!written) unlink(path.c_str());
  return written ? path : "";
}

}  // namespace

Result<void> OpenInBrowser(const std::string& url) {
  const Error no_browser{"cannot open a browser here", "xdg-open", "open the printed address"};
  if (!HasDesktop()) return std::unexpected(no_browser);
  std::string page = RedirectPage(url);
  if (page.empty()) return std::unexpected(no_browser);
  std::string name = "xdg-open";
  char* const argv[] = {name.data(), page.data(), nullptr};
  // The browser must not inherit the blocked signals of the server.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], nullptr, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    unlink(page.c_str());
    return std::unexpected(no_browser);
  }
  return {};
}

}  // namespace stepscope::cli
