/*
 * rsockets, the streams and datagrams of librdmacm: its code on our functions. A thread sends back what another compares. The argument is
 * the address.
 */
#include "check.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rsocket.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 1 << 20, PORT = 7471, WAIT_MS = 20000 };

static struct sockaddr_in address = {.sin_family = AF_INET};

static void *echo(void *listener) {
    char buffer[5000];
    ssize_t got;
    int fd = raccept((int)(intptr_t)listener, NULL, NULL);
    /* librspreload opens the number that it gives the program about now; its select needs one below that of the stream. */
    int given = dup(STDIN_FILENO);
    CHECK(given >= 0 && fd > given && close(given) == 0);
    while ((got = rread(fd, buffer, sizeof buffer)) > 0) {
        for (ssize_t sent = 0, now; sent < got; sent += now) {
            now = rwrite(fd, buffer + sent, (size_t)(got - sent));
            CHECK(now > 0);
        }
    }
    CHECK(got == 0);
    rclose(fd);
    return NULL;
}

static void *send_all(void *given) {
    static uint32_t words[BYTES / sizeof(uint32_t)];
    for (uint32_t i = 0; i < BYTES / sizeof *words; i++) {
        words[i] = i * UINT32_C(2654435761);
    }
    for (size_t sent = 0; sent < BYTES;) {
        ssize_t now = rwrite((int)(intptr_t)given, (char *)words + sent, BYTES - sent);
        CHECK(now > 0);
        sent += (size_t)now;
    }
    return NULL;
}

static void compare(int fd) {
    static uint32_t words[BYTES / sizeof(uint32_t)];
    for (size_t read = 0; read < BYTES;) {
        ssize_t now = rread(fd, (char *)words + read, BYTES - read);
        CHECK(now > 0);
        read += (size_t)now;
    }
    for (uint32_t i = 0; i < BYTES / sizeof *words; i++) {
        CHECK(words[i] == i * UINT32_C(2654435761));
    }
}

static int datagrams(int port) {
    struct sockaddr_in own = address;
    int fd = rsocket(AF_INET, SOCK_DGRAM, 0);
    own.sin_port = htons((uint16_t)port);
    CHECK(fd >= 0 && rfcntl(fd, F_SETFL, O_NONBLOCK) == 0 && rbind(fd, (struct sockaddr *)&own, sizeof own) == 0);
    return fd;
}

static void receive(int fd, const char *expected, struct sockaddr_in *from) {
    char got[16];
    socklen_t length = sizeof *from;
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    CHECK(rpoll(&waiting, 1, WAIT_MS) == 1);
    CHECK(rrecvfrom(fd, got, sizeof got, 0, (struct sockaddr *)from, &length) == 4 && memcmp(got, expected, 4) == 0);
}

/* The first goes by way of the peer's service, which also learns from it where answers go. */
static void exchange(void) {
    struct sockaddr_in from;
    int asks = datagrams(PORT + 1), answers = datagrams(PORT + 2);
    struct sockaddr_in to = address;
    to.sin_port = htons(PORT + 2);
    CHECK(rconnect(asks, (struct sockaddr *)&to, sizeof to) == 0 || errno == EINPROGRESS);
    for (int i = 0; i < 100; i++) {
        struct pollfd room = {.fd = asks, .events = POLLOUT};
        CHECK(rpoll(&room, 1, WAIT_MS) == 1 && rsend(asks, "ping", 4, 0) == 4);
        receive(answers, "ping", &from);
        CHECK(from.sin_addr.s_addr == address.sin_addr.s_addr && ntohs(from.sin_port) == PORT + 1);
        CHECK(rsendto(answers, "pong", 4, 0, (struct sockaddr *)&from, sizeof from) == 4);
        receive(asks, "pong", &from);
    }
    CHECK(rclose(asks) == 0 && rclose(answers) == 0);
}

int main(int count, char **arguments) {
    pthread_t server, sender;
    CHECK(count == 2 && inet_pton(AF_INET, arguments[1], &address.sin_addr) == 1);
    address.sin_port = htons(PORT);
    int listener = rsocket(AF_INET, SOCK_STREAM, 0), fd = rsocket(AF_INET, SOCK_STREAM, 0);
    CHECK(listener >= 0 && fd >= 0);
    CHECK(rbind(listener, (struct sockaddr *)&address, sizeof address) == 0 && rlisten(listener, 1) == 0);
    pthread_create(&server, NULL, echo, (void *)(intptr_t)listener);
    CHECK(rconnect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    pthread_create(&sender, NULL, send_all, (void *)(intptr_t)fd);
    compare(fd);
    pthread_join(sender, NULL);
    CHECK(rshutdown(fd, SHUT_RDWR) == 0);
    pthread_join(server, NULL);
    rclose(fd);
    rclose(listener);
    exchange();
    puts("all right");
    return 0;
}
