// Converts text.
#include "python/text.h"

namespace stepscope::python {
namespace {

nb::object MadeOrRaise(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

}  // namespace

nb::object TextOf(std::string_view text) {
  return MadeOrRaise(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::object PathTextOf(std::string_view path) {
  return MadeOrRaise(
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}

std::string BytesOf(nb::handle bytes) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw nb::python_error();
  return {data, static_cast<size_t>(size)};
}

std::vector<std::string> BytesOfEach(const nb::list& list) {
  std::vector<std::string> all;
  for (const nb::handle bytes : list) all.push_back(BytesOf(bytes));
  return all;
}

}  // namespace stepscope::python
