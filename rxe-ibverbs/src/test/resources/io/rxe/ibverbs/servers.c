/*
 * Sockets that librspreload makes rsockets, as nginx and redis use them: epoll with edges and levels, together with the kernel's
 * descriptors, and what else it leaves to the kernel. The argument is the address.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "check.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { PORT = 7472, CLIENTS = 9, ENDS = 4, THREADS = 4, LONG = 20000, FILE_BYTES = 300000, EVENT = 1000 };
enum { EDGE = EPOLLIN | EPOLLOUT | EPOLLET | EPOLLRDHUP };

static struct sockaddr_in address = {.sin_family = AF_INET};
static int set, clients[CLIENTS], servers[CLIENTS];
static char sent[FILE_BYTES], got[FILE_BYTES];

/* What programs without _FILE_OFFSET_BITS call. */
int fcntl32(int fd, int command, ...) __asm__("fcntl");

static void control(int operation, int fd, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data.u64 = data};
    CHECK(epoll_ctl(set, operation, fd, &event) == 0);
}

/* The events of one descriptor, which alone may have any; 0 without within the time. */
static uint32_t events_of(uint64_t data, int timeout) {
    struct epoll_event events[2];
    static sigset_t none;
    static int waits;
    struct timespec time = {timeout / 1000, timeout % 1000 * 1000000};
    int way = waits++ % 3;
    int count = way == 0 ? epoll_pwait(set, events, 2, timeout, &none) : way == 1 ? epoll_wait(set, events, 2, timeout)
        : epoll_pwait2(set, events, 2, &time, &none);
    CHECK(count >= 0 && count < 2 && (!count || events[0].data.u64 == data));
    return count ? events[0].events : 0;
}

static void await(int fd, short wanted) {
    struct pollfd waiting = {.fd = fd, .events = wanted};
    CHECK(poll(&waiting, 1, LONG) == 1 && waiting.revents & wanted);
}

/* The mask holds as long as the call. */
static int is_readable(int fd, int timeout) {
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    struct timespec time = {timeout / 1000, timeout % 1000 * 1000000}, refused = {.tv_sec = -1};
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    CHECK(ppoll(&waiting, 1, &refused, &mask) == -1 && errno == EINVAL);
    int count = ppoll(&waiting, 1, &time, &mask);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && !sigismember(&mask, SIGUSR2));
    return count;
}

static int stream(void) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), no = 0, yes = 1;
    struct stat file;
    CHECK(fd >= 0 && fcntl(fd, F_GETFL) & O_NONBLOCK && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    CHECK(ioctl(fd, FIONBIO, &no) == 0 && !(fcntl(fd, F_GETFL) & O_NONBLOCK));
    CHECK(ioctl(fd, FIONBIO, &yes) == 0 && fcntl(fd, F_GETFL) & O_NONBLOCK && fcntl(fd, F_SETFD, 0) == 0);
    CHECK(fcntl32(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl32(fd, F_GETFD) == FD_CLOEXEC && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    /* Not one of the kernel's. */
    CHECK(fstat(fd, &file) == 0 && S_ISCHR(file.st_mode));
    return fd;
}

static void connect_all(int listener) {
    for (int i = 0; i < CLIENTS; i++) {
        int yes = 1, error = -1;
        socklen_t length = sizeof error;
        clients[i] = stream();
        CHECK(connect(clients[i], (struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS);
        await(clients[i], POLLOUT);
        CHECK(getsockopt(clients[i], SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0);
        CHECK(events_of(listener, LONG) == EPOLLIN && events_of(listener, 0) == EPOLLIN);
        servers[i] = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        CHECK(servers[i] >= 0 && fcntl(servers[i], F_GETFL) & O_NONBLOCK && fcntl(servers[i], F_GETFD) == FD_CLOEXEC);
        CHECK(accept4(listener, NULL, NULL, 0) == -1 && errno == EAGAIN);
        CHECK(setsockopt(servers[i], IPPROTO_TCP, TCP_CORK, &yes, sizeof yes) == 0);
        CHECK(events_of(listener, 0) == 0);
    }
}

static void edges(int server, int client) {
    int waiting = -1;
    control(EPOLL_CTL_ADD, server, EDGE, server);
    CHECK(events_of(server, LONG) == EPOLLOUT && events_of(server, 30) == 0 && is_readable(server, 30) == 0);
    CHECK(write(client, "12345", 5) == 5);
    CHECK(events_of(server, LONG) == EPOLLIN && events_of(server, 30) == 0 && is_readable(server, LONG) == 1);
    CHECK(ioctl(server, FIONREAD, &waiting) == 0 && waiting == 5);
    CHECK(recv(server, got, 9, 0) == 5 && memcmp(got, "12345", 5) == 0);
    /* Between two waits the level went down and up again: an edge all the same. */
    CHECK(write(client, "6", 1) == 1);
    CHECK(events_of(server, LONG) == EPOLLIN);
    CHECK(read(server, got, 9) == 1 && read(server, got, 9) == -1 && errno == EAGAIN && events_of(server, 30) == 0);
    CHECK(write(server, "7", 1) == 1 && events_of(server, LONG) == EPOLLOUT && events_of(server, 0) == 0);
    await(client, POLLIN);
    CHECK(read(client, got, 9) == 1 && *got == '7');
    control(EPOLL_CTL_MOD, server, EDGE, server);
    CHECK(events_of(server, LONG) == EPOLLOUT && events_of(server, 0) == 0);
    control(EPOLL_CTL_MOD, server, EPOLLOUT | EPOLLONESHOT, server);
    CHECK(events_of(server, LONG) == EPOLLOUT && events_of(server, 30) == 0);
    control(EPOLL_CTL_MOD, server, EPOLLOUT, server);
    CHECK(events_of(server, LONG) == EPOLLOUT && events_of(server, 0) == EPOLLOUT);
    control(EPOLL_CTL_DEL, server, 0, 0);
    CHECK(events_of(server, 0) == 0);
}

static void errors(int listener, int server) {
    struct epoll_event event = {.events = EPOLLIN}, exclusive = {.events = EPOLLIN | EPOLLEXCLUSIVE};
    int waiting;
    FILE *file = tmpfile();
    CHECK(epoll_ctl(set, EPOLL_CTL_DEL, server, &event) == -1 && errno == ENOENT);
    CHECK(epoll_ctl(set, EPOLL_CTL_MOD, server, &event) == -1 && errno == ENOENT);
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, server, &event) == 0);
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, server, &event) == -1 && errno == EEXIST);
    CHECK(epoll_ctl(set, EPOLL_CTL_MOD, server, &exclusive) == -1 && errno == EINVAL);
    CHECK(epoll_ctl(set, EPOLL_CTL_MOD + 1, server, &event) == -1 && errno == EINVAL);
    control(EPOLL_CTL_DEL, server, 0, 0);
    CHECK(ioctl(listener, FIONREAD, &waiting) == -1 && errno == EINVAL);
    CHECK(epoll_ctl(set, EPOLL_CTL_ADD, fileno(file), &event) == -1 && errno == EPERM);
    CHECK(accept4(fileno(file), NULL, NULL, 0) == -1 && errno == ENOTSOCK);
    fclose(file);
}

/* More than a stream holds: with an edge for each time that there is room again. */
static void files(int server, int client) {
    FILE *file = tmpfile();
    off_t offset = 0;
    size_t received = 0;
    for (int i = 0; i < FILE_BYTES; i++) {
        sent[i] = (char)(i * 31 + i / 256);
    }
    CHECK(fwrite(sent, 1, FILE_BYTES, file) == FILE_BYTES && fflush(file) == 0);
    control(EPOLL_CTL_ADD, server, EDGE, server);
    control(EPOLL_CTL_ADD, client, EDGE, client);
    while (received < FILE_BYTES) {
        struct epoll_event event;
        CHECK(epoll_wait(set, &event, 1, LONG) == 1);
        ssize_t now;
        if (event.data.u64 == (uint64_t)server && event.events & EPOLLOUT) {
            while (offset < FILE_BYTES && (now = sendfile(server, fileno(file), &offset, (size_t)(FILE_BYTES - offset))) > 0) {
            }
            CHECK(offset == FILE_BYTES || errno == EAGAIN);
        }
        while (event.data.u64 == (uint64_t)client && (now = read(client, got + received, FILE_BYTES - received)) > 0) {
            received += (size_t)now;
        }
    }
    CHECK(memcmp(sent, got, FILE_BYTES) == 0);
    control(EPOLL_CTL_DEL, server, 0, 0);
    control(EPOLL_CTL_DEL, client, 0, 0);
    fclose(file);
}

static void *count_events(void *timeout) {
    struct epoll_event events[2];
    return (void *)(intptr_t)epoll_wait(set, events, 2, (int)(intptr_t)timeout);
}

/* One of the threads that wait is told, and once. */
static void threads(int server, int client, uint32_t how) {
    pthread_t waiting[THREADS];
    intptr_t told = 0;
    control(EPOLL_CTL_ADD, server, EPOLLIN | how, server);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&waiting[i], NULL, count_events, (void *)(intptr_t)500) == 0);
    }
    CHECK(usleep(100000) == 0 && write(client, "8", 1) == 1);
    for (int i = 0; i < THREADS; i++) {
        void *count;
        CHECK(pthread_join(waiting[i], &count) == 0);
        told += (intptr_t)count;
    }
    CHECK(told == 1 && read(server, got, 9) == 1);
    control(EPOLL_CTL_DEL, server, 0, 0);
}

static void *wait_on(void *stopped) {
    struct epoll_event event;
    while (!__atomic_load_n((int *)stopped, __ATOMIC_ACQUIRE)) {
        CHECK(epoll_wait(set, &event, 1, 1) >= 0);
    }
    return NULL;
}

/* What other threads wait for is closed. */
static void closes(const int *closed, int count) {
    pthread_t waiting[THREADS];
    int stopped = 0;
    for (int i = 0; i < count; i++) {
        control(EPOLL_CTL_ADD, closed[i], 0, 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&waiting[i], NULL, wait_on, &stopped) == 0);
    }
    for (int i = 0; i < count; i++) {
        CHECK(usleep(10000) == 0 && close(closed[i]) == 0);
    }
    __atomic_store_n(&stopped, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(waiting[i], NULL) == 0);
    }
}

/* A set gets its first rsocket while a thread waits in it. */
static void late(int server) {
    int former = set;
    pthread_t waiting;
    void *count;
    set = epoll_create1(0);
    CHECK(set >= 0 && pthread_create(&waiting, NULL, count_events, (void *)(intptr_t)LONG) == 0 && usleep(100000) == 0);
    control(EPOLL_CTL_ADD, server, EPOLLOUT, server);
    CHECK(pthread_join(waiting, &count) == 0 && (intptr_t)count == 1 && close(set) == 0);
    set = former;
}

/* Of more descriptors than a wait reports, each has its turn. */
static void turns(void) {
    int event = eventfd(1, 0), seen[CLIENTS + 1] = {0};
    control(EPOLL_CTL_ADD, event, EPOLLIN, CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        control(EPOLL_CTL_ADD, servers[i], EPOLLOUT, (uint64_t)i);
    }
    for (int i = 0; i < 3 * CLIENTS; i++) {
        struct epoll_event one;
        CHECK(epoll_wait(set, &one, 1, LONG) == 1);
        seen[one.data.u64] = 1;
    }
    for (int i = 0; i <= CLIENTS; i++) {
        CHECK(seen[i]);
        control(EPOLL_CTL_DEL, i < CLIENTS ? servers[i] : event, 0, 0);
    }
    close(event);
}

static void handle(int signal) {
    (void)signal;
}

/* A signal that is blocked but while the program waits ends the wait, also one that came before. */
static void signals(int server) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct epoll_event event;
    sigset_t one, none;
    sigemptyset(&none);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigprocmask(SIG_BLOCK, &one, NULL) == 0);
    control(EPOLL_CTL_ADD, server, EPOLLIN, server);
    CHECK(raise(SIGUSR1) == 0 && epoll_pwait(set, &event, 1, LONG, &none) == -1 && errno == EINTR);
    control(EPOLL_CTL_DEL, server, 0, 0);
}

/* A descriptor of the kernel in the same set, and one of rsockets that is closed. */
static void ends(int server, int client) {
    int event = eventfd(0, 0);
    control(EPOLL_CTL_ADD, event, EPOLLIN, EVENT);
    control(EPOLL_CTL_ADD, server, EDGE, server);
    CHECK(events_of(server, LONG) == EPOLLOUT && events_of(EVENT, 30) == 0);
    CHECK(eventfd_write(event, 1) == 0 && events_of(EVENT, LONG) == EPOLLIN);
    eventfd_t one;
    CHECK(eventfd_read(event, &one) == 0);
    CHECK(close(client) == 0);
    CHECK((events_of(server, LONG) & (EPOLLIN | EPOLLHUP | EPOLLRDHUP)) == (EPOLLIN | EPOLLRDHUP));
    CHECK(events_of(server, 30) == 0 && read(server, got, 9) == 0 && events_of(server, 30) == 0);
    CHECK(close(server) == 0 && close(event) == 0 && events_of(EVENT, 30) == 0);
}

int main(int count, char **arguments) {
    CHECK(count == 2 && inet_pton(AF_INET, arguments[1], &address.sin_addr) == 1);
    address.sin_port = htons(PORT);
    int listener = stream();
    set = epoll_create1(EPOLL_CLOEXEC);
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, CLIENTS) == 0);
    control(EPOLL_CTL_ADD, listener, EPOLLIN, listener);
    connect_all(listener);
    errors(listener, servers[0]);
    for (int i = 0; i < CLIENTS; i++) {
        edges(servers[i], clients[i]);
    }
    files(servers[1], clients[1]);
    threads(servers[2], clients[2], EPOLLONESHOT);
    threads(servers[3], clients[3], EPOLLET);
    late(servers[4]);
    turns();
    signals(servers[5]);
    for (int i = 0; i < ENDS; i++) {
        ends(servers[i], clients[i]);
    }
    closes(servers + ENDS, CLIENTS - ENDS);
    closes(clients + ENDS, CLIENTS - ENDS);
    CHECK(close(listener) == 0 && close(set) == 0);
    set = epoll_create1(0);
    CHECK(events_of(listener, 0) == 0);
    puts("all right");
    return 0;
}
