// Hands requests to Python, and binds their answers.
#include "python/storage.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "python/module.h"
#include "python/text.h"

namespace stepscope::python {
namespace {

// Threads of the core that are about to enter Python, and whether they still may: at the end of the
// process they would wait for the interpreter's lock forever.
std::atomic<int> entering = 0;
std::atomic<bool> python_ended = false;

constexpr int kLongestWaitMs = 1000;

class Entry {
 public:
  Entry() { ++entering; }
  ~Entry() { --entering; }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  bool allowed() const { return !python_ended; }
};

void EndOfPython() {
  python_ended = true;
  const nb::gil_scoped_release unlocked;
  // In a forked process the threads that were counted may not be there.
  for (int i = 0; entering > 0 && i < kLongestWaitMs; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// What the core waits for. The answer is given once.
class Request {
 public:
  using Found = Storage::Done<StoredItem>;
  using Listed = Storage::Done<std::vector<StoredItem>>;
  using Bytes = Storage::Done<std::string>;

  Request(std::string path, std::variant<Found, Listed, Bytes> done, uint64_t offset = 0,
          size_t size = 0)
      : path_(std::move(path)), offset_(offset), size_(size), done_(std::move(done)) {}
  ~Request() { Fail({"reading was given up", path_, "open it again"}); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  const char* kind() const {
    constexpr auto kKinds = std::to_array<const char*>({"find", "list", "read"});
    return kKinds[done_.index()];
  }
  const std::string& path() const { return path_; }
  uint64_t offset() const { return offset_; }
  size_t size() const { return size_; }

  void SetFound(StoredItem item) { Answer<Found>(std::move(item)); }
  void SetListed(std::vector<StoredItem> items) { Answer<Listed>(std::move(items)); }
  void SetBytes(std::string bytes) { Answer<Bytes>(std::move(bytes)); }
  void Fail(Error error) {
    if (std::exchange(answered_, true)) return;
    std::visit([&](const auto& done) { done(std::unexpected(std::move(error))); }, done_);
  }

 private:
  template <class Done, class Value>
  void Answer(Value value) {
    const Done* done = std::get_if<Done>(&done_);
    if (done == nullptr || std::exchange(answered_, true)) return;
    (*done)(std::move(value));
  }

  std::string path_;
  uint64_t offset_;
  size_t size_;
  std::variant<Found, Listed, Bytes> done_;
  bool answered_ = false;  // read and written with the interpreter's lock
};

// A Python object that the core holds, and lets go without knowing of the lock.
class Held {
 public:
  explicit Held(nb::object object) : object_(std::move(object)) {}
  ~Held() {
    const Entry entry;
    if (!entry.allowed()) {
      object_.release();  // to what is left of the interpreter
      return;
    }
    const nb::gil_scoped_acquire locked;
    object_.reset();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  // Takes the lock for a moment.
  void Begin(std::unique_ptr<Request> request) const {
    const Entry entry;
    if (!entry.allowed()) return;  // which is an answer, too
    const nb::gil_scoped_acquire locked;
    try {
      object_.attr("begin")(nb::cast(request.release(), nb::rv_policy::take_ownership));
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("stepscope: reading from a storage");
    }
  }

 private:
  nb::object object_;
};

// (path, kind, bytes, written, version, any_order).
using Item = std::tuple<nb::bytes, std::string, int64_t, int64_t, uint64_t, bool>;

StoredItem ItemOf(const Item& given) {
  const auto& [path, kind, bytes, written, version, any_order] = given;
  using Kind = StoredItem::Kind;
  return {.path = BytesOf(path),
          .kind = kind == "file"     ? Kind::kFile
                  : kind == "folder" ? Kind::kFolder
                                     : Kind::kNone,
          .bytes = bytes,
          .written = written,
          .version = version,
          .any_order = any_order};
}

std::vector<StoredItem> ItemsOf(const std::vector<Item>& given) {
  std::vector<StoredItem> items;
  for (const Item& item : given) items.push_back(ItemOf(item));
  return items;
}

// Of a glob in a bucket there can be thousands.
class Roots {
 public:
  explicit Roots(std::vector<std::string> roots) : roots_(roots.begin(), roots.end()) {}
  // Whether it is one of them, or below one.
  bool Hold(std::string_view path) const {
    for (std::string above(path);; above.resize(above.rfind('/'))) {
      if (roots_.contains(above)) return true;
      if (!above.contains('/')) return false;
    }
  }

 private:
  std::unordered_set<std::string> roots_;
};

}  // namespace

StorageRef StorageOf(const nb::object& storage) {
  if (storage.is_none()) return nullptr;
  const auto held = std::make_shared<const Held>(storage);
  const Roots roots(BytesOfEach(nb::cast<nb::list>(storage.attr("roots"))));
  const auto begin = [held](std::unique_ptr<Request> request) { held->Begin(std::move(request)); };
  return std::make_shared<const Storage>(Storage{
      .holds = [roots](std::string_view path) { return roots.Hold(path); },
      .find = [begin](
                  const std::string& path,
                  Request::Found done) { begin(std::make_unique<Request>(path, std::move(done))); },
      .list =
          [begin](const std::string& folder, Request::Listed done) {
            begin(std::make_unique<Request>(folder, std::move(done)));
          },
      .read =
          [begin](const std::string& path, uint64_t offset, size_t size, Request::Bytes done) {
            begin(std::make_unique<Request>(path, std::move(done), offset, size));
          }});
}

void AddStorages(nb::module_& module) {
  nb::class_<Request>(module, "Request")
      .def_prop_ro("kind", &Request::kind)
      .def_prop_ro("path",
                   [](const Request& r) { return nb::bytes(r.path().data(), r.path().size()); })
      .def_prop_ro("offset", &Request::offset)
      .def_prop_ro("size", &Request::size)
      .def("found", [](Request& r, const Item& item) { r.SetFound(ItemOf(item)); })
      .def("listed",
           [](Request& r, const std::vector<Item>& items) { r.SetListed(ItemsOf(items)); })
      .def("bytes",
           [](Request& r, const nb::bytes& bytes) { r.SetBytes({bytes.c_str(), bytes.size()}); })
      .def("failed", [](Request& r, std::string what, std::string where, std::string hint) {
        r.Fail({std::move(what), std::move(where), std::move(hint)});
      });
  module.def("end_of_python", EndOfPython);
}

}  // namespace stepscope::python
