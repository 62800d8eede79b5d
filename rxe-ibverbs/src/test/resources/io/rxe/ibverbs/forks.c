/* Forks at any moment of other threads that use the library; needs no JVM. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("line %d: %s (errno %d)\n", __LINE__, #condition, errno); \
            exit(1); \
        } \
    } while (0)

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

int main(void) {
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list);
    device = list[0];
    forks_between_locks();
    ibv_free_device_list(list);
    puts("all right");
    return 0;
}
