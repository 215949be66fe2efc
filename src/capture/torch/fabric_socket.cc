// Binds, receives with credentials and times, and answers.
#include "capture/torch/fabric_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/system_error.h"
#include "base/time_units.h"
#include "capture/torch/fabric.h"

namespace stepscope::capture {
namespace {

constexpr std::string_view kName = "dynolog", kClient = "dynoconfigclient";
constexpr size_t kPathAt = offsetof(sockaddr_un, sun_path);
// libkineto binds names of 52 bytes in the same directory.
constexpr size_t kMostFolder = 54;

struct Address {
  sockaddr_un value{};
  socklen_t size = 0;
};

// An abstract name is a NUL, the name, and one more NUL that counts.
Address AddressOf(std::string_view path, bool abstract) {
  Address address;
  address.value.sun_family = AF_UNIX;
  std::memcpy(address.value.sun_path + (abstract ? 1 : 0), path.data(), path.size());
  address.size = static_cast<socklen_t>(kPathAt + path.size() + (abstract ? 2 : 1));
  return address;
}

const sockaddr* Generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// A socket's file stays when its program is killed; nobody answers there.
void RemoveStale(const Address& address) {
  const int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return;
  if (connect(file, Generic(address.value), address.size) != 0 && errno == ECONNREFUSED)
    unlink(address.value.sun_path);
  close(file);
}

std::unexpected<Error> CannotBind(int reason, const std::string& folder) {
  const std::string where =
      folder.empty() ? "abstract socket dynolog" : folder + "/" + std::string(kName);
  if (reason == EADDRINUSE) {
    return std::unexpected(Error{"another program answers libkineto's requests", where,
                                 "stop it (dynolog, or a capture of another user), or use it"});
  }
  return std::unexpected(SystemError("cannot bind the socket", reason, where));
}

void ReadAncillary(msghdr& message, Received& received) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_CREDENTIALS) {
      ucred who{};
      std::memcpy(&who, CMSG_DATA(part), sizeof who);
      received.pid = who.pid;
      received.user = who.uid;
    } else if (part->cmsg_type == SCM_TIMESTAMPNS) {
      timespec sent{};
      std::memcpy(&sent, CMSG_DATA(part), sizeof sent);
      received.sent = sent.tv_sec * kSecond + sent.tv_nsec;
    }
  }
}

}  // namespace

Result<FabricSocket> FabricSocket::Bind(const std::string& folder) {
  if (folder.size() > kMostFolder) {
    return std::unexpected(Error{"the directory of sockets has a path of more than 54 bytes",
                                 folder,
                                 "libkineto cannot use it; choose a shorter one for the job"});
  }
  const Address address = folder.empty() ? AddressOf(kName, true)
                                         : AddressOf(fmt::format("{}/{}", folder, kName), false);
  FabricSocket made(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), folder);
  const int on = 1;
  if (made.file_ < 0 || setsockopt(made.file_, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      setsockopt(made.file_, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) {
    return CannotBind(errno, folder);
  }
  if (!folder.empty()) RemoveStale(address);
  const mode_t mask = umask(0177);  // the file of the socket is for this user alone
  const int failed = bind(made.file_, Generic(address.value), address.size) == 0 ? 0 : errno;
  umask(mask);
  if (failed == 0) return made;
  made.folder_.clear();  // the name is not ours to remove
  return CannotBind(failed, folder);
}

FabricSocket::FabricSocket(FabricSocket&& other) noexcept
    : file_(std::exchange(other.file_, -1)), folder_(std::exchange(other.folder_, "")) {}

FabricSocket::~FabricSocket() {
  if (file_ < 0) return;
  if (!folder_.empty()) unlink((folder_ + "/" + std::string(kName)).c_str());
  close(file_);
}

bool FabricSocket::IsClient(std::string_view address) const {
  if (folder_.empty()) return address.starts_with(std::string(1, '\0') + std::string(kClient));
  const std::string begin = fmt::format("{}/{}", folder_, kClient);
  return address.starts_with(begin) && !address.substr(begin.size()).contains('/');
}

std::optional<Received> FabricSocket::Receive() {
  std::array<char, kMostDatagram> bytes;
  alignas(cmsghdr) std::array<char, 256> ancillary;
  Address from;
  iovec part{.iov_base = bytes.data(), .iov_len = bytes.size()};
  msghdr message{};
  message.msg_name = &from.value;
  message.msg_namelen = sizeof from.value;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.data();
  message.msg_controllen = ancillary.size();
  const ssize_t size = recvmsg(file_, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size < 0 || (message.msg_flags & MSG_TRUNC) != 0 || message.msg_namelen <= kPathAt)
    return std::nullopt;
  Received received{.bytes = std::string(bytes.data(), static_cast<size_t>(size)),
                    .client = std::string(from.value.sun_path, message.msg_namelen - kPathAt)};
  if (!IsClient(received.client)) return std::nullopt;
  ReadAncillary(message, received);
  return received;
}

bool FabricSocket::Answer(const std::string& client, std::string_view bytes) {
  if (!IsClient(client) || client.size() > sizeof(sockaddr_un::sun_path)) return false;
  Address to;
  to.value.sun_family = AF_UNIX;
  std::memcpy(to.value.sun_path, client.data(), client.size());
  to.size = static_cast<socklen_t>(kPathAt + client.size());
  return sendto(file_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL, Generic(to.value),
                to.size) == static_cast<ssize_t>(bytes.size());
}

}  // namespace stepscope::capture
