// Holds the names of fields, in lower case and without what stands between words.
#include "redact/hints.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "redact/characters.h"

namespace stepscope::redact {
namespace {

constexpr size_t kLongestKey = 64;

// Between spaces.
constexpr std::string_view kHosts =
    " host hostname hostnames hosts node nodename nodelist nodes nodeid machine machinename fqdn "
    "masteraddr masteraddress masterhost batchhost allocnode execnodelist reqnodelist server "
    "servername pod podname hostip podip instanceid instancename domain domainname rendezvous "
    "rdzvendpoint coordinator coordinatoraddress peer uname remotehost remoteaddr clusterhost ";
constexpr std::string_view kUsers =
    " user username users owner login loginname author email mail account userid uid who "
    "createdby submittedby fullname realname logname ";
constexpr std::string_view kPaths =
    " cwd workdir workingdir workingdirectory home homedir logdir outputdir outdir path dir "
    "directory folder filename file filepath tracename stdout stderr stdin workspace "
    "checkpointdir datadir submitline scriptpath kernelfile sourcefile sourcestack ";
constexpr std::string_view kSecrets =
    " password passwd passphrase secret secrets secretkey clientsecret apikey apitoken accesskey "
    "accesskeyid accesstoken authtoken privatekey sshkey credential credentials authorization "
    "cookie setcookie bearer token refreshtoken idtoken sessiontoken sessionkey signature sas "
    "sastoken accountkey wandbapikey hftoken dsn connectionstring webhook pgpassword mypwd ";
constexpr std::string_view kMaybeSecrets = " key pwd pw pswd pass auth pin session ";
constexpr std::string_view kHashes =
    " kernelhash hash sha sha1 sha256 md5 checksum fingerprint digest programfingerprint ";
constexpr std::string_view kEnvironments =
    " env environ environment environmentvariables envvars envs osenviron ";
constexpr std::string_view kCommands =
    " argv cmd cmdline command commandline commands launchcommand entrypoint sysargv argvector "
    "invocation procargs launchargs scriptargs commandargs ";

std::string Plain(std::string_view key) {
  std::string plain = " ";
  for (const char c : Lower(key)) {
    if (IsAlnum(c)) plain += c;
  }
  return plain + " ";
}

Hint Named(const std::string& plain) {
  if (plain.size() < 4) return Hint::kNone;
  struct List {
    std::string_view names;
    Hint hint;
  };
  static constexpr auto kLists = std::to_array<List>({{kHosts, Hint::kHost},
                                                      {kUsers, Hint::kUser},
                                                      {kPaths, Hint::kPath},
                                                      {kSecrets, Hint::kSecret},
                                                      {kMaybeSecrets, Hint::kMaybeSecret},
                                                      {kHashes, Hint::kHash},
                                                      {kEnvironments, Hint::kEnvironment},
                                                      {kCommands, Hint::kCommand}});
  const auto at =
      std::ranges::find_if(kLists, [&](const List& list) { return list.names.contains(plain); });
  return at == kLists.end() ? (plain == " writer " ? Hint::kWriter : Hint::kNone) : at->hint;
}

// Where the last word begins: "password" of "db.password" and "dbPassword".
size_t LastWord(std::string_view key) {
  size_t at = key.size();
  while (at > 0 && IsAlnum(key[at - 1])) {
    --at;
    if (at > 0 && IsUpper(key[at]) && IsLower(key[at - 1])) break;
  }
  return at;
}

}  // namespace

Hint HintOf(std::string_view key) {
  if (key.empty() || key.size() > kLongestKey) return Hint::kNone;
  const Hint whole = Named(Plain(key));
  return whole == Hint::kNone ? HintOfLastWord(key) : whole;
}

Hint HintOfLastWord(std::string_view key) {
  if (key.empty() || key.size() > kLongestKey) return Hint::kNone;
  const size_t last = LastWord(key);
  if (last == key.size()) return Hint::kNone;
  // Of two words too: "api_key" of "openai_api_key".
  size_t before = last;
  if (before > 0 && !IsAlnum(key[before - 1])) --before;
  before = LastWord(key.substr(0, before));
  for (const size_t from : {before, last}) {
    const Hint hint = Named(Plain(key.substr(from)));
    const bool counts = hint == Hint::kSecret || hint == Hint::kUser || hint == Hint::kHash ||
                        (hint == Hint::kHost && key.substr(from).size() > 6) ||
                        hint == Hint::kMaybeSecret;
    if (counts) return hint;
  }
  return Hint::kNone;
}

}  // namespace stepscope::redact
