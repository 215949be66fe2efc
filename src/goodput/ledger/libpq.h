// PostgreSQL's client library, loaded when it is first needed: it brings thirty libraries along,
// for which every command would wait 7 ms.
#pragma once

#include <libpq-fe.h>

namespace stepscope::goodput {

// The functions that are called, by their names without "PQ".
struct LibPq {
  decltype(&::PQclear) clear;
  decltype(&::PQcmdStatus) cmdStatus;
  decltype(&::PQconnectdbParams) connectdbParams;
  decltype(&::PQconninfoFree) conninfoFree;
  decltype(&::PQconninfoParse) conninfoParse;
  decltype(&::PQerrorMessage) errorMessage;
  decltype(&::PQexecParams) execParams;
  decltype(&::PQfinish) finish;
  decltype(&::PQgetisnull) getisnull;
  decltype(&::PQgetlength) getlength;
  decltype(&::PQgetvalue) getvalue;
  decltype(&::PQntuples) ntuples;
  decltype(&::PQpass) pass;
  decltype(&::PQresultErrorField) resultErrorField;
  decltype(&::PQresultStatus) resultStatus;
  decltype(&::PQsetNoticeProcessor) setNoticeProcessor;
  decltype(&::PQstatus) status;
};

// Null where the library is not installed.
const LibPq* LoadLibPq();

}  // namespace stepscope::goodput
