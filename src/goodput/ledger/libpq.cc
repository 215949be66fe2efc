// Loads the functions of libpq once.
#include "goodput/ledger/libpq.h"

#include <dlfcn.h>

#include <optional>

namespace stepscope::goodput {
namespace {

template <class Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::optional<LibPq> Load() {
  void* library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);  // never unloaded
  if (library == nullptr) return std::nullopt;
  LibPq pq{};
  const bool all =
      Find(library, "PQclear", pq.clear) && Find(library, "PQcmdStatus", pq.cmdStatus) &&
      Find(library, "PQconnectdbParams", pq.connectdbParams) &&
      Find(library, "PQconninfoFree", pq.conninfoFree) &&
      Find(library, "PQconninfoParse", pq.conninfoParse) &&
      Find(library, "PQerrorMessage", pq.errorMessage) &&
      Find(library, "PQexecParams", pq.execParams) && Find(library, "PQfinish", pq.finish) &&
      Find(library, "PQgetResult", pq.getResult) &&
      Find(library, "PQputCopyData", pq.putCopyData) &&
      Find(library, "PQputCopyEnd", pq.putCopyEnd) && Find(library, "PQgetisnull", pq.getisnull) &&
      Find(library, "PQgetlength", pq.getlength) && Find(library, "PQgetvalue", pq.getvalue) &&
      Find(library, "PQntuples", pq.ntuples) && Find(library, "PQpass", pq.pass) &&
      Find(library, "PQresultErrorField", pq.resultErrorField) &&
      Find(library, "PQresultStatus", pq.resultStatus) &&
      Find(library, "PQsetNoticeProcessor", pq.setNoticeProcessor) &&
      Find(library, "PQstatus", pq.status);
  return all ? std::optional(pq) : std::nullopt;
}

}  // namespace

const LibPq* LoadLibPq() {
  static const std::optional<LibPq> library = Load();
  return library ? &*library : nullptr;
}

}  // namespace stepscope::goodput
