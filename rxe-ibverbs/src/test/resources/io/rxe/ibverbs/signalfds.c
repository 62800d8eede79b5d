/* Signals of the process reach the program's signalfd, as its only thread blocks them: no thread of the JVM takes them. */
#include "check.h"
#include <arpa/inet.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { ROUNDS = 20, WAIT_MS = 60000 };

int main(int count, char **arguments) {
    static const int SIGNALS[] = {SIGUSR1, SIGUSR2, SIGHUP};
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_cm_id *listener;
    sigset_t set;
    CHECK(count == 2 && inet_pton(AF_INET, arguments[1], &address.sin_addr) == 1 && channel);
    /* Now the NIC runs, and its thread for connections, which a verb of this thread has started. */
    CHECK(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) == 0 && rdma_bind_addr(listener, (struct sockaddr *)&address) == 0);
    CHECK(rdma_listen(listener, 1) == 0);
    sigemptyset(&set);
    for (int i = 0; i < 3; i++) {
        sigaddset(&set, SIGNALS[i]);
    }
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    struct pollfd poller = {.fd = signalfd(-1, &set, 0), .events = POLLIN};
    for (int i = 0; i < 3 * ROUNDS; i++) {
        struct signalfd_siginfo info;
        CHECK(kill(getpid(), SIGNALS[i % 3]) == 0);
        /* A thread that would take it gets the time to. */
        poll(NULL, 0, 1);
        CHECK(poll(&poller, 1, WAIT_MS) == 1);
        CHECK(read(poller.fd, &info, sizeof info) == sizeof info && (int)info.ssi_signo == SIGNALS[i % 3]);
    }
    puts("all right");
    return 0;
}
