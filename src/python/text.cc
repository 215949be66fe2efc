// Converts text.
#include "python/text.h"

namespace stepscope::python {

nb::object TextOf(std::string_view text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
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
