#include "rsockets.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * What servers (nginx, redis) need of librspreload, which stands behind this library, and what it leaves to the kernel. For each rsocket it
 * gives the program the number of an open /dev/null, and keeps that of librdmacm to itself, which is of the channel of the rdma_cm_id.
 * Without librspreload the functions of the C library here do nothing but call those behind them.
 */

/* musl has a macro, and other parameters; the numbers are those of x86-64 and AArch64. */
#undef sendfile64
ssize_t sendfile64(int to, int from, off_t *offset, size_t bytes);
int ioctl(int fd, unsigned long request, ...);
int rfcntl(int rs, int command, ...);
enum { FIONREAD = 0x541b, FIONBIO = 0x5421 };

enum { MOST = 1 << 16, CHUNK = 16 << 10, MOST_SLICES = 500 };

/*
 * Of an rsocket: attended to by librdmacm; not, and not known to be connected; not, and connected, so that an event is its end. That of
 * datagrams stays attended to: a thread of librdmacm resolves where each goes.
 */
enum { ATTENDED, UNATTENDED, WATCHED, DATAGRAMS };

/* By the numbers of librdmacm. Numbers that are far apart share an entry: the rsocket may be reported ready once too often. */
static uint32_t uses[MOST][RXE_DIRECTIONS];
static uint8_t states[MOST];
static uint16_t waits[MOST];
/*
 * Of a thread: where rpoll is to put the number of an rsocket; until when its rpoll waits, or 0, for how many descriptors, and how many
 * handlers of signals had run before; whether librdmacm may start no thread.
 */
static __thread int *asked __attribute__((tls_model("initial-exec")));
static __thread int64_t deadline __attribute__((tls_model("initial-exec")));
static __thread nfds_t awaited __attribute__((tls_model("initial-exec")));
static __thread unsigned handled __attribute__((tls_model("initial-exec")));
static __thread bool is_unattended __attribute__((tls_model("initial-exec")));

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t rxe_deadline(int timeout) {
    return timeout < 0 ? INT64_MAX : now_ms() + timeout;
}

int rxe_timeout(const struct timespec *timeout) {
    enum { NS_OF_MS = 1000000, NS_OF_S = 1000 * NS_OF_MS };
    if (!timeout) {
        return -1;
    }
    if (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= NS_OF_S) {
        return RXE_REFUSED_TIMEOUT;
    }
    return timeout->tv_sec >= INT_MAX / 1000 ? INT_MAX : (int)(timeout->tv_sec * 1000 + (timeout->tv_nsec + NS_OF_MS - 1) / NS_OF_MS);
}

int rxe_slice(int64_t until) {
    int64_t left = until - now_ms();
    return left > RXE_SLICE_MS ? RXE_SLICE_MS : left > 0 ? (int)left : 0;
}

static bool is_of(const void *code, const char *library) {
    Dl_info info;
    return dladdr(code, &info) && info.dli_fname && strstr(info.dli_fname, library);
}

bool rxe_is_librdmacm(const void *code) {
    return is_of(code, "librdmacm");
}

/* ---- the end of a connection ---- */

/*
 * A thread of librdmacm attends to connections that a program accepts or begins to connect. That of rdma-core 44 writes to memory it has
 * freed once there are four of them; later ones may wait for ever for an event of one that was closed. So programs that do not block have
 * no such thread: it does not start without its sockets. It would notice when the peer ends the connection with a DREQ alone, as a program
 * does that exits. Here this shows by an event in the channel, which nobody takes.
 */
PUBLIC int socketpair(int domain, int type, int protocol, int fds[2]) {
    NEXT(socketpair);
    /* The JVM may start meanwhile, which makes such sockets, too. */
    if (is_unattended && rxe_is_librdmacm(__builtin_return_address(0))) {
        errno = EMFILE;
        return -1;
    }
    return next(domain, type, protocol, fds);
}

static void set_state(int rs, uint8_t state) {
    __atomic_store_n(&states[(unsigned)rs % MOST], state, __ATOMIC_RELEASE);
}

static uint8_t state_of(int rs) {
    return __atomic_load_n(&states[(unsigned)rs % MOST], __ATOMIC_ACQUIRE);
}

void rxe_forget_rsocket(int rs) {
    set_state(rs, ATTENDED);
}

/* ---- the rsocket of a descriptor, and waiting for rsockets ---- */

void rxe_count_waits(const struct pollfd *fds, nfds_t count, int more) {
    for (nfds_t i = 0; i < count; i++) {
        __atomic_add_fetch(&waits[(unsigned)fds[i].fd % MOST], (uint16_t)more, __ATOMIC_ACQ_REL);
    }
}

/* rpoll reads what rclose frees. Not for ever: a handler of a signal may have jumped out of a wait. */
void rxe_await_waits(int rs, int most) {
    static const struct timespec SLICE = {.tv_nsec = RXE_SLICE_MS * 1000 * 1000L};
    for (int i = 0; i < MOST_SLICES && __atomic_load_n(&waits[(unsigned)rs % MOST], __ATOMIC_ACQUIRE) > most; i++) {
        syscall(SYS_nanosleep, &SLICE, NULL);
    }
}

/* The other threads of the parent are none of the child's. */
void rxe_waits_in_child(void) {
    if (rxe_has_librspreload()) {
        memset(waits, 0, sizeof waits);
    }
}

/*
 * Between rpoll of librdmacm and the kernel. rpoll miscounts who waits when its time is over (before rdma-core 63), and spins from then on:
 * so it is given no time, and ends by an error from here. The thread that accepts connections wakes nobody: so it waits in short steps,
 * where rdma-core 44 waits for 5 s.
 */
PUBLIC int poll(struct pollfd *fds, nfds_t count, int timeout) {
    NEXT(poll);
    int64_t until = deadline;
    if (!until || count != awaited) {
        return next(fds, count, timeout);
    }
    int slice = rxe_slice(until);
    /* rpoll goes on after a signal that comes between two calls. */
    if (handled != rxe_handled) {
        errno = EINTR;
        return -1;
    }
    /* A handler of signals may poll, too. */
    deadline = 0;
    int ready = next(fds, count, slice);
    deadline = until;
    if (ready == 0 && slice < RXE_SLICE_MS) {
        errno = ETIME;
        return -1;
    }
    return ready;
}

bool rxe_has_librspreload(void) {
    NEXT(poll);
    static int found = -1;
    if (found < 0) {
        found = is_of((void *)next, "librspreload");
    }
    return found;
}

int rxe_rsocket_of(int fd) {
    NEXT(poll);
    int found = -1;
    if (rxe_has_librspreload()) {
        struct pollfd wanted = {.fd = fd};
        int error = errno;
        asked = &found;
        next(&wanted, 1, 0);
        asked = NULL;
        errno = error;
    }
    return found;
}

/* Makes those ready whose connections the peers have ended; returns how many were not yet. */
static int add_ended(struct pollfd *fds, nfds_t count) {
    static const struct timespec NO_TIME;
    struct pollfd *channels = calloc(count, sizeof *channels);
    int ended = 0;
    for (nfds_t i = 0; channels && i < count; i++) {
        channels[i] = (struct pollfd){.fd = state_of(fds[i].fd) == WATCHED ? fds[i].fd : -1, .events = POLLIN};
    }
    if (channels && syscall(SYS_ppoll, channels, count, &NO_TIME, NULL, 0L) > 0) {
        for (nfds_t i = 0; i < count; i++) {
            if (channels[i].revents && !fds[i].revents) {
                fds[i].revents = (short)(POLLHUP | (fds[i].events & POLLIN));
                ended++;
            }
        }
    }
    free(channels);
    return ended;
}

PUBLIC int rpoll(struct pollfd *fds, nfds_t count, int timeout) {
    NEXT(rpoll);
    int ready;
    if (asked) {
        *asked = fds->fd;
        return 0;
    }
    if (!timeout) {
        ready = next(fds, count, 0);
    } else {
        handled = rxe_handled;
        deadline = rxe_deadline(timeout);
        /* It adds a descriptor by which its threads wake each other. */
        awaited = count + 1;
        ready = next(fds, count, -1);
        deadline = 0;
        ready = ready < 0 && errno == ETIME ? 0 : ready;
    }
    return ready ? ready : add_ended(fds, count);
}

/* librspreload leaves it to the kernel, for which an rsocket is always ready. The mask is that of epoll_pwait. */
PUBLIC int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
    NEXT(ppoll);
    int ms = rxe_timeout(timeout);
    nfds_t i = 0;
    while (i < count && (fds[i].fd < 0 || rxe_rsocket_of(fds[i].fd) < 0)) {
        i++;
    }
    if (i == count || ms == RXE_REFUSED_TIMEOUT) {
        return next(fds, count, timeout, mask);
    }
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, mask, &before);
    int ready = poll(fds, count, ms), error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return ready;
}

/* ---- what the program does with a connection ---- */

/* Whether it is ready may change with this: the next report is an edge for EPOLLET. */
static ssize_t use(int rs, enum rxe_direction direction, ssize_t result) {
    if (result > 0 || (result < 0 && errno == EAGAIN)) {
        __atomic_add_fetch(&uses[(unsigned)rs % MOST][direction], 1, __ATOMIC_RELEASE);
    }
    if (result > 0 && state_of(rs) == UNATTENDED) {
        set_state(rs, WATCHED);
    }
    return result;
}

uint32_t rxe_uses(int rs, enum rxe_direction direction) {
    return __atomic_load_n(&uses[(unsigned)rs % MOST][direction], __ATOMIC_ACQUIRE);
}

static bool is_nonblocking(int rs) {
    NEXT(rfcntl);
    return next(rs, F_GETFL) & O_NONBLOCK;
}

PUBLIC int rsocket(int domain, int type, int protocol) {
    NEXT(rsocket);
    int rs = next(domain, type, protocol);
    if (rs >= 0) {
        set_state(rs, (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_DGRAM ? DATAGRAMS : ATTENDED);
    }
    return rs;
}

PUBLIC int rconnect(int rs, const struct sockaddr *address, socklen_t length) {
    NEXT(rconnect);
    if (state_of(rs) != DATAGRAMS) {
        is_unattended = is_nonblocking(rs);
        set_state(rs, is_unattended ? UNATTENDED : ATTENDED);
    }
    int status = next(rs, address, length);
    is_unattended = false;
    return status;
}

PUBLIC int raccept(int rs, struct sockaddr *address, socklen_t *length) {
    NEXT(raccept);
    int accepted = next(rs, address, length);
    if (accepted >= 0) {
        set_state(accepted, is_unattended ? WATCHED : ATTENDED);
    }
    return (int)use(rs, RXE_IN, accepted);
}

/* The other functions of rsockets call these by name. */
PUBLIC ssize_t rrecv(int rs, void *to, size_t bytes, int flags) {
    NEXT(rrecv);
    struct pollfd end = {.fd = rs};
    ssize_t received = next(rs, to, bytes, flags);
    if (received < 0 && errno == EAGAIN && add_ended(&end, 1)) {
        received = next(rs, to, bytes, flags);
        return received < 0 && errno == EAGAIN ? 0 : received;
    }
    return use(rs, RXE_IN, received);
}

PUBLIC ssize_t rsend(int rs, const void *from, size_t bytes, int flags) {
    NEXT(rsend);
    return use(rs, RXE_OUT, next(rs, from, bytes, flags));
}

PUBLIC ssize_t rsendmsg(int rs, const struct msghdr *from, int flags) {
    NEXT(rsendmsg);
    return use(rs, RXE_OUT, next(rs, from, flags));
}

PUBLIC ssize_t rwritev(int rs, const struct iovec *from, int count) {
    NEXT(rwritev);
    return use(rs, RXE_OUT, next(rs, from, count));
}

/* ---- what else the kernel refuses for the number of an rsocket ---- */

/* The number itself closes when the process becomes another program. */
static int with_flags(int fd, int flags) {
    if (fd >= 0 && flags & SOCK_NONBLOCK) {
        fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
    }
    if (fd >= 0 && flags & SOCK_CLOEXEC) {
        syscall(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}

/* For a type with flags that of librspreload makes a socket of the kernel. */
int rxe_socket_of_program(int domain, int type, int protocol) {
    NEXT(socket);
    int flags = type & (SOCK_NONBLOCK | SOCK_CLOEXEC);
    bool is_stream = (type & ~flags) == SOCK_STREAM && (domain == AF_INET || domain == AF_INET6);
    return !flags || !is_stream || !rxe_has_librspreload() ? next(domain, type, protocol)
        : with_flags(next(domain, type & ~flags, protocol), flags);
}

PUBLIC int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
    NEXT(accept4);
    int accepted = next(fd, address, length, flags);
    if (accepted >= 0 || errno != ENOTSOCK || rxe_rsocket_of(fd) < 0) {
        return accepted;
    }
    is_unattended = true;
    accepted = accept(fd, address, length);
    is_unattended = false;
    return with_flags(accepted, flags);
}

PUBLIC int fcntl(int fd, int command, ...) {
    NEXT(fcntl);
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    bool is_of_number = (command == F_GETFD || command == F_SETFD) && rxe_rsocket_of(fd) >= 0;
    return is_of_number ? (int)syscall(SYS_fcntl, fd, command, argument) : next(fd, command, argument);
}

/* On all that this library runs on it is fcntl. */
PUBLIC int fcntl64(int fd, int command, ...) {
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    return fcntl(fd, command, argument);
}

/* librdmacm looks for data in a queue that a listener, or what never connected, has not. */
static bool has_peer(int fd) {
    struct sockaddr_storage peer = {0};
    socklen_t length = sizeof peer;
    return getpeername(fd, (struct sockaddr *)&peer, &length) != 0 || peer.ss_family != AF_UNSPEC;
}

PUBLIC int ioctl(int fd, unsigned long request, ...) {
    NEXT(ioctl);
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    int status = next(fd, request, argument);
    if (request == FIONBIO && status == 0 && rxe_rsocket_of(fd) >= 0) {
        return fcntl(fd, F_SETFL, O_RDWR | (*(int *)argument ? O_NONBLOCK : 0));
    }
    if (request == FIONREAD && status != 0 && rxe_rsocket_of(fd) >= 0) {
        char waiting[CHUNK];
        if (!has_peer(fd)) {
            errno = EINVAL;
            return -1;
        }
        ssize_t bytes = recv(fd, waiting, sizeof waiting, MSG_PEEK | MSG_DONTWAIT);
        *(int *)argument = bytes > 0 ? (int)bytes : 0;
        return 0;
    }
    return status;
}

/* That of librspreload maps the file in a way that the kernel refuses. */
static ssize_t copy_file(int to, int from, off_t *offset, size_t bytes) {
    char chunk[CHUNK];
    size_t sent = 0;
    ssize_t got, now;
    do {
        size_t wanted_now = bytes - sent < sizeof chunk ? bytes - sent : sizeof chunk;
        got = offset ? pread(from, chunk, wanted_now, *offset) : read(from, chunk, wanted_now);
        now = got > 0 ? write(to, chunk, (size_t)got) : got;
        if (now >= 0 && offset) {
            *offset += now;
        } else if (got > 0 && !offset) {
            lseek(from, (now > 0 ? now : 0) - got, SEEK_CUR);
        }
        sent += now > 0 ? (size_t)now : 0;
    } while (now > 0 && now == got && sent < bytes);
    return sent || now == 0 ? (ssize_t)sent : -1;
}

PUBLIC ssize_t sendfile(int to, int from, off_t *offset, size_t bytes) {
    NEXT(sendfile);
    return rxe_rsocket_of(to) >= 0 ? copy_file(to, from, offset, bytes) : next(to, from, offset, bytes);
}

PUBLIC ssize_t sendfile64(int to, int from, off_t *offset, size_t bytes) {
    return sendfile(to, from, offset, bytes);
}

/* nginx gives up a connection that refuses it. It holds back small packets, which rsockets cannot: they send at once. */
PUBLIC int rsetsockopt(int rs, int level, int name, const void *value, socklen_t length) {
    NEXT(rsetsockopt);
    return level == IPPROTO_TCP && name == TCP_CORK ? 0 : next(rs, level, name, value, length);
}
