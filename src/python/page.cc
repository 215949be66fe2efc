// Binds the server of the page, which runs on threads of its own in this process.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/errors.h"
#include "python/module.h"
#include "python/storage.h"
#include "python/text.h"
#include "python/work.h"
#include "stepscope/server.h"

namespace stepscope::python {
namespace {

constexpr std::chrono::seconds kLookAtFiles{2};
constexpr std::chrono::seconds kLookAtStorage{60};  // each look is a request, which may cost money

class Page {
 public:
  explicit Page(PageServer server) : server_(std::move(server)), process_(getpid()) {}
  // The threads of the server are those of the process that started it. They may wait for the
  // interpreter's lock, to run analyses in Python.
  ~Page() {
    if (process_ != getpid())
      new std::optional<PageServer>(std::move(server_));
    else if (server_)
      Close();
  }
  Page(Page&&) = default;

  std::string url() const { return server_ ? server_->url() : ""; }
  std::string warning() const { return server_ ? server_->warning() : ""; }
  bool closed() const { return !server_; }
  void Close() {
    if (process_ != getpid()) return;
    std::optional<PageServer> closed = std::exchange(server_, std::nullopt);
    const nb::gil_scoped_release unlocked;
    closed.reset();
  }

 private:
  std::optional<PageServer> server_;
  pid_t process_;
};

Page Serve(const nb::list& given, const nb::object& storage, const std::string& host, int port,
           const std::string& token, int threads,
           std::vector<std::pair<std::string, std::string>> params, int64_t max_input,
           int64_t most_names, std::optional<int64_t> most_rows) {
  const bool stored = !storage.is_none();
  const PageServerOptions options{.paths = BytesOfEach(given),
                                  .storage = StorageOf(storage),
                                  .host = host,
                                  .port = port,
                                  .token = token,
                                  .threads = threads,
                                  .settings = {.groups = {}, .params = std::move(params)},
                                  .max_input = max_input,
                                  .most_names = most_names,
                                  .most_rows = most_rows.value_or(kMostPageRows),
                                  .look_every = stored ? kLookAtStorage : kLookAtFiles};
  // It waits for answers of Python.
  auto server = WorkFor<Result<PageServer>>(
      [&](const std::stop_token&) { return PageServer::Start(options); });
  return Page(ValueOrRaise(std::move(server), Fault::kInput));
}

}  // namespace

void AddPages(nb::module_& module) {
  nb::class_<Page>(module, "Page")
      .def_prop_ro("url", &Page::url)
      .def_prop_ro("warning", &Page::warning)
      .def_prop_ro("closed", &Page::closed)
      .def("close", &Page::Close);
  module.def("serve", Serve, nb::arg("paths"), nb::arg("storage").none(), nb::arg("host"),
             nb::arg("port"), nb::arg("token"), nb::arg("threads"), nb::arg("params"),
             nb::arg("max_input"), nb::arg("most_names"), nb::arg("most_rows").none());
}

}  // namespace stepscope::python
