// Binds analyses in Python: adds them to the core, and calls them on the thread that asked.
#include "python/plugin.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "python/answer.h"
#include "python/bind_columns.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/text.h"
#include "python/work.h"
#include "stepscope/plugin.h"

namespace stepscope::python {
namespace {

// The core's view of the run, for Python.
struct PluginView {
  PluginContext* context = nullptr;  // null once the plugin has returned
  WayBack back;                      // to the thread that may ask it
};

PluginContext& ContextOf(const PluginView& view) {
  if (view.context == nullptr)
    Raise({"the context has ended with its analysis", "", "use it only inside the function"},
          Fault::kUse);
  return *view.context;
}

// What the core answers, without the interpreter's lock.
template <class T>
T Asked(const PluginView& view, const std::function<Result<T>(PluginContext&)>& ask) {
  PluginContext& context = ContextOf(view);
  const WayBack back = view.back;
  std::optional<Result<T>> answer;
  back.Do([&] { answer.emplace(ask(context)); });
  return ValueOrRaise(*std::move(answer), Fault::kQuestion);
}

nb::object EventsIn(const PluginView& view, int64_t rank, const std::vector<std::string>& names,
                    std::vector<std::string> kinds, std::optional<int64_t> step) {
  return ObjectOf(Asked<Columns>(view, [&](PluginContext& context) {
    return context.Events(rank, names, {.kinds = std::move(kinds), .step = step, .steps = {}});
  }));
}

Answer ReportIn(const PluginView& view, const std::string& name,
                const std::vector<std::pair<std::string, std::string>>& params) {
  ReportSet one{.run = ContextOf(view).run()};
  one.reports.push_back(
      Asked<Report>(view, [&](PluginContext& context) { return context.ReportOf(name, params); }));
  return Answer(std::move(one));
}

// While it lives, a stop raises KeyboardInterrupt in this thread's Python code.
// REQUIRES: the interpreter's lock.
class Interruptible {
 public:
  explicit Interruptible(const std::stop_token& stop) {
    const unsigned long thread = PyThread_get_thread_ident();
    callback_.emplace(stop, Interrupt{thread});
  }
  // A stop that comes meanwhile waits for the lock.
  ~Interruptible() {
    const nb::gil_scoped_release unlocked;
    callback_.reset();
  }
  Interruptible(const Interruptible&) = delete;

 private:
  struct Interrupt {
    unsigned long thread;
    void operator()() const {
      const nb::gil_scoped_acquire locked;
      PyThreadState_SetAsyncExc(thread, PyExc_KeyboardInterrupt);
    }
  };
  std::optional<std::stop_callback<Interrupt>> callback_;
};

nb::dict DictOfValues(const PluginValues& values) {
  nb::dict out;
  for (const auto& [name, value] : values) {
    out[TextOf(name)] = std::visit(
        [](const auto& one) -> nb::object {
          if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::string>) {
            return TextOf(one);
          } else {
            return nb::cast(one);
          }
        },
        value);
  }
  return out;
}

Result<Report> AskPython(const std::string& name, PluginContext& context,
                         const PluginValues& values, const WayBack& back) {
  const nb::object view = nb::cast(PluginView{&context, back});
  struct Ended {
    PluginView& view;
    ~Ended() { view.context = nullptr; }
  } const ended{nb::cast<PluginView&>(view)};
  const nb::object answered =
      nb::module_::import_("stepscope._plugins").attr("answer")(name, view, DictOfValues(values));
  return ReportFrom(nb::cast<nb::dict>(answered));
}

// What Python raises is an error, as everywhere in the core; but KeyboardInterrupt is raised where
// the user asked.
Result<Report> Call(const std::string& name, PluginContext& context, const PluginValues& values,
                    const WayBack& back) {
  const nb::gil_scoped_acquire locked;
  try {
    std::optional<Interruptible> interruptible;
    if (!back.from_asking_thread()) interruptible.emplace(context.stop());
    return AskPython(name, context, values, back);
  } catch (const nb::python_error& error) {
    if (back.from_asking_thread() && error.matches(PyExc_KeyboardInterrupt)) throw;
    return std::unexpected(Error{error.what(), name, ""});
  } catch (const std::exception& error) {
    return std::unexpected(Error{error.what(), name, ""});
  }
}

// From any thread.
Result<Report> CallWhereAsked(const std::string& name, PluginContext& context,
                              const PluginValues& values) {
  Result<Report> made = std::unexpected(Error{"the analysis was canceled", name, ""});
  OnAskingThread([&](const WayBack& back) { made = Call(name, context, values, back); });
  return made;
}

ParameterInfo ParameterIn(const nb::dict& from) {
  const auto text = [&](const char* key) { return nb::cast<std::string>(from[key]); };
  return {text("name"), text("type"), text("default"), text("unit"), text("message")};
}

void Add(const std::string& name, const std::string& title, const std::string& summary,
         const std::string& doc, const nb::list& params) {
  Plugin plugin{
      .info = {.name = name, .title = title, .summary = summary, .doc = doc, .params = {}},
      .run = [name](PluginContext& context, const PluginValues& values) {
        return CallWhereAsked(name, context, values);
      }};
  for (const nb::handle one : params)
    plugin.info.params.push_back(ParameterIn(nb::cast<nb::dict>(one)));
  ValueOrRaise(AddPlugin(std::move(plugin)), Fault::kQuestion);
}

// Raises QuestionError, which says what has the word, where there is no such word.
void CheckWord(const std::string& what, const std::string& word, const std::string& where) {
  const auto check = [&](const auto& parsed) {
    if (!parsed) Raise({parsed.error().what, where, parsed.error().hint}, Fault::kQuestion);
  };
  if (what == "unit") return check(ParseUnit(word));
  if (what == "kind") return check(ParseColumnKind(word));
  if (what == "severity") return check(ParseSeverity(word));
  check(ParseCause(word));
}

}  // namespace

void AddPlugins(nb::module_& module) {
  nb::class_<PluginView>(module, "PluginView")
      .def("name", [](const PluginView& view) { return TextOf(ContextOf(view).run().name); })
      .def("steps", [](const PluginView& view) { return ContextOf(view).run().steps; })
      .def("ranks", [](const PluginView& view) { return ContextOf(view).ranks(); })
      .def("events", EventsIn, nb::arg("rank"), nb::arg("columns"), nb::arg("kinds"),
           nb::arg("step").none())
      .def("report", ReportIn, nb::arg("name"), nb::arg("params"));
  module.def("add_plugin", Add, nb::arg("name"), nb::arg("title"), nb::arg("summary"),
             nb::arg("doc"), nb::arg("params"));
  module.def("remove_plugin", [](const std::string& name) { return RemovePlugin(name); });
  module.def("check_word", CheckWord, nb::arg("what"), nb::arg("word"), nb::arg("where"));
}

}  // namespace stepscope::python
