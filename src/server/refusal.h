// Defines why the page's server does not answer, and writes what it sends then.
#pragma once

#include <expected>

#include "http/message.h"
#include "stepscope/result.h"

namespace stepscope::server {

using http::Body;
using http::Gone;
using http::GzipBody;
using http::MakeBody;
using http::Request;
using http::Response;

// Why there is no answer, and the HTTP status of it.
struct Failure {
  int status = 500;
  Error error;
};

template <class T>
using Attempt = std::expected<T, Failure>;

// The client closed the connection: nobody reads this (see Gone).
inline const Failure kNobodyThere{499, {"the client closed the connection", "", ""}};

// {"error": {"what", "where", "hint"}}, or a page where a browser opens an address.
Response Refusal(const Request& request, int status, const Error& error);

// The status of an answer that is being computed: the client asks again.
inline constexpr int kNotYet = 202;

// {"pending": {"what", "where", "hint"}}
Response NotYet(const Error& why);

}  // namespace stepscope::server
