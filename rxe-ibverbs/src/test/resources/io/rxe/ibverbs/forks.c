/*
 * What a child has of the library: descriptors of its own, free locks whatever other threads did, and its faults. The last needs a JVM.
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { FORKS = 300, CHILD_MOST_SECONDS = 60 };

static struct ibv_device *device;
static atomic_bool ended;

static void open_and_close(void) {
    struct ibv_context *context = ibv_open_device(device);
    CHECK(context && ibv_close_device(context) == 0);
}

static void make_channel(void) {
    struct rdma_event_channel *channel = rdma_create_event_channel();
    CHECK(channel);
    rdma_destroy_event_channel(channel);
}

static void list_devices(void) {
    struct ibv_context **list = rdma_get_devices(NULL);
    CHECK(list);
    rdma_free_devices(list);
}

static void (*const USES[])(void) = {open_and_close, make_channel, list_devices};

enum { KINDS = sizeof USES / sizeof *USES };

static void *repeat(void *use) {
    while (!ended) {
        (*(void (*const *)(void))use)();
    }
    return NULL;
}

/* A child that waits for a lock that nobody holds waits for ever. */
static void forks_between_locks(void) {
    pthread_t threads[KINDS];
    /* Takes the address, which parent and children name from then on. */
    list_devices();
    for (int i = 0; i < KINDS; i++) {
        CHECK(pthread_create(&threads[i], NULL, repeat, (void *)&USES[i]) == 0);
    }
    for (int i = 0; i < FORKS; i++) {
        int status;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(CHILD_MOST_SECONDS);
            for (int kind = 0; kind < KINDS; kind++) {
                USES[kind]();
            }
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    ended = true;
    for (int i = 0; i < KINDS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

static bool is_readable(int fd) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) == 1;
}

/* What the child of a fork reads from the descriptors that it inherits is not missing in the parent, and neither wakes the other. */
static void descriptors(void) {
    struct ibv_context *context = ibv_open_device(device);
    struct ibv_comp_channel *completions = ibv_create_comp_channel(context);
    struct rdma_event_channel *connections = rdma_create_event_channel();
    int fds[] = {context->async_fd, completions->fd, connections->fd}, both[2], status;
    char ready;
    CHECK(fcntl(completions->fd, F_SETFL, O_NONBLOCK) == 0 && pipe(both) == 0);
    /* The program may close a descriptor and give its number away. */
    int file = open("/dev/null", O_RDONLY);
    struct ibv_context *closed = ibv_open_device(device);
    CHECK(dup2(file, closed->async_fd) == closed->async_fd);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        for (int i = 0; i < KINDS; i++) {
            CHECK(!is_readable(fds[i]) && eventfd_write(fds[i], 1) == 0 && is_readable(fds[i]));
            CHECK(fcntl(fds[i], F_GETFD) == FD_CLOEXEC && (fcntl(fds[i], F_GETFL) & O_NONBLOCK) == (i == 1 ? O_NONBLOCK : 0));
        }
        CHECK(read(closed->async_fd, &ready, 1) == 0);
        CHECK(write(both[1], "", 1) == 1);
        _exit(0);
    }
    CHECK(close(both[1]) == 0 && read(both[0], &ready, 1) == 1);
    for (int i = 0; i < KINDS; i++) {
        CHECK(!is_readable(fds[i]));
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    rdma_destroy_event_channel(connections);
    CHECK(ibv_destroy_comp_channel(completions) == 0 && ibv_close_device(context) == 0 && ibv_close_device(closed) == 0);
    CHECK(close(file) == 0);
}

/* Where the program has a handler, since before the JVM or in the child, or none. */
enum { BEFORE, IN_CHILD, NOWHERE, PLACES };

static void on_fault(int signal) {
    (void)signal;
    _exit(7);
}

static int status_of_fault(int place, struct ibv_cq *cq) {
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(CHILD_MOST_SECONDS);
        CHECK(ibv_req_notify_cq(cq, 0) == EIO);
        if (place != BEFORE) {
            struct sigaction action = {.sa_handler = place == IN_CHILD ? on_fault : SIG_DFL}, former;
            CHECK(sigaction(SIGSEGV, &action, &former) == 0 && former.sa_handler == on_fault);
        }
        *(volatile int *)sizeof(int) = 1;
    }
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

/* The JVM is the parent's: to it no fault of a child is told, of whatever memory. */
static void faults(void) {
    struct sigaction action = {.sa_handler = on_fault};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    struct ibv_context *context = ibv_open_device(device);
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    struct ibv_cq *cq = ibv_create_cq(context, 1, NULL, channel, 0);
    CHECK(pd && cq);
    struct ibv_mr *mr = ibv_reg_mr(pd, NULL, SIZE_MAX, IBV_ACCESS_ON_DEMAND);
    CHECK(mr);
    for (int place = 0; place < PLACES; place++) {
        int status = status_of_fault(place, cq);
        CHECK(place == NOWHERE ? WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV : WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    CHECK(ibv_dereg_mr(mr) == 0 && ibv_dealloc_pd(pd) == 0 && ibv_destroy_cq(cq) == 0 && ibv_destroy_comp_channel(channel) == 0);
    CHECK(ibv_close_device(context) == 0);
}

int main(void) {
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list);
    device = list[0];
    descriptors();
    forks_between_locks();
    faults();
    ibv_free_device_list(list);
    puts("all right");
    return 0;
}
