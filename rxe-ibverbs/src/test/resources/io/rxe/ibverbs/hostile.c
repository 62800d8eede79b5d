/*
 * What programs do to a NIC that lives inside them, a check a process: each prints "ok" or "FAIL" and its name. With a name as argument the
 * program does that check alone, in its own process; with --only before names, those, and with --but, all others.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "pair.h"

enum { CANCELS = 1000, JUMPS = 2000, HANDLED = 500, SMALL_STACK = 64 << 10, LONGEST_SECONDS = 300, IN_HANDLER = 7, MIB = 1 << 20 };

static void open_it(void) {
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list && (context = ibv_open_device(list[0])));
    ibv_free_device_list(list);
}

static void use_it(void) {
    open_it();
    use(NULL);
}

/* ---- what the library says ---- */

static int sentences;

static void listen_to_sentences(void) {
    CHECK((sentences = memfd_create("sentences", 0)) >= 0 && dup2(sentences, 2) == 2);
}

static bool was_said(const char *part) {
    static char text[4096];
    CHECK(pread(sentences, text, sizeof text - 1, 0) >= 0);
    bool found = strstr(text, part);
    if (!found) {
        printf("said instead of \"%s\": %s\n", part, text);
    }
    return found;
}

/* ---- two queue pairs over which threads write ---- */

struct written {
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_qp *left, *right;
    struct ibv_mr *mr;
    char *memory;
};

static struct written make_written(void) {
    struct written to = {.memory = calloc(2, BYTES), .pd = ibv_alloc_pd(context), .cq = ibv_create_cq(context, 64, NULL, NULL, 0)};
    CHECK(to.memory && to.pd && to.cq);
    to.mr = ibv_reg_mr(to.pd, to.memory, 2 * BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    to.left = create(to.pd, to.cq, 8);
    to.right = create(to.pd, to.cq, 8);
    CHECK(to.mr && to.left && to.right);
    connect_to(to.left, to.right);
    connect_to(to.right, to.left);
    return to;
}

static void end_written(struct written *to) {
    CHECK(ibv_destroy_qp(to->left) == 0 && ibv_destroy_qp(to->right) == 0 && ibv_dereg_mr(to->mr) == 0);
    CHECK(ibv_destroy_cq(to->cq) == 0 && ibv_dealloc_pd(to->pd) == 0);
    free(to->memory);
}

/* Posts one write unless the queue is full, and polls once. Returns whether a write has ended. */
static bool write_and_poll(struct written *to) {
    struct ibv_sge sge = {.addr = (uintptr_t)to->memory, .length = 8, .lkey = to->mr->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = {.remote_addr = (uintptr_t)to->memory + BYTES, .rkey = to->mr->rkey}}, *bad;
    struct ibv_wc wc;
    int status = ibv_post_send(to->left, &wr, &bad);
    CHECK(status == 0 || status == ENOMEM);
    int found = ibv_poll_cq(to->cq, 1, &wc);
    CHECK(found == 0 || (found == 1 && wc.status == IBV_WC_SUCCESS));
    return found;
}

/* ---- threads that end ---- */

static void *write_until_cancelled(void *to) {
    while (to) {
        write_and_poll(to);
        pthread_testcancel();
    }
    return NULL;
}

/* No verb is a cancellation point where it has a lock or drives the engine: after each thread the next can go on. */
static void cancel(void) {
    open_it();
    struct written to = make_written();
    for (int i = 0; i < CANCELS; i++) {
        pthread_t thread;
        void *result;
        CHECK(pthread_create(&thread, NULL, write_until_cancelled, &to) == 0);
        usleep((useconds_t)(i % 20 * 100));
        CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    }
    printf("%d cancels\n", CANCELS);
    end_written(&to);
    use(NULL);
}

static struct written of_destructor;
static int destructed;

static void deregister_at_end(void *mr) {
    for (int ended = 0; !ended;) {
        ended = write_and_poll(&of_destructor);
    }
    CHECK(ibv_dereg_mr(mr) == 0);
    destructed++;
}

static void *keep_region(void *key) {
    struct ibv_mr *mr = ibv_reg_mr(of_destructor.pd, of_destructor.memory, 8, 0);
    CHECK(mr && pthread_setspecific(*(pthread_key_t *)key, mr) == 0);
    return NULL;
}

/* Memory pools of threads deregister so: one destructor runs before the library's own, the other behind it. */
static void key_destructors(void) {
    pthread_key_t keys[2];
    CHECK(pthread_key_create(&keys[0], deregister_at_end) == 0);
    open_it();
    of_destructor = make_written();
    CHECK(pthread_key_create(&keys[1], deregister_at_end) == 0);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, keep_region, &keys[i]) == 0 && pthread_join(thread, NULL) == 0 && destructed == i + 1);
    }
    use(NULL);
}

static void *become_another(void *unused) {
    execl("/proc/self/exe", "hostile", "device", NULL);
    return unused;
}

/* The program that it becomes finds the address free. */
static void exec_from_thread(void) {
    pthread_t thread;
    use_it();
    CHECK(pthread_create(&thread, NULL, become_another, NULL) == 0);
    pthread_join(thread, NULL);
    exit(1);
}

static void fork_after_use(void) {
    int status;
    use_it();
    pid_t child = fork();
    if (child == 0) {
        listen_to_sentences();
        bool refused = !ibv_alloc_pd(context) && errno == EIO && was_said("open the device after the fork");
        _exit(refused ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    use(NULL);
}

/* ---- stacks ---- */

static ucontext_t caller, coroutine;

static void run_coroutine(void) {
    use(NULL);
}

static void *use_on_coroutine(void *unused) {
    char *stack = malloc(SMALL_STACK);
    CHECK(stack && getcontext(&coroutine) == 0);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = SMALL_STACK;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, run_coroutine, 0);
    CHECK(swapcontext(&caller, &coroutine) == 0);
    free(stack);
    return unused;
}

/* Goes down the stack until little is left. */
static void *use_deep_down(void *lowest) {
    char frame[4096];
    memset(frame, 1, sizeof frame);
    char *next = lowest ? lowest : frame - (512 << 10) + SMALL_STACK;
    if (frame > next) {
        use_deep_down(next);
    } else {
        use(NULL);
    }
    return frame[4095] == 1 ? NULL : lowest;
}

static void run_thread(size_t stack, void *(*body)(void *)) {
    pthread_attr_t attr;
    pthread_t thread;
    CHECK(pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, stack) == 0);
    CHECK(pthread_create(&thread, &attr, body, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

/* The coroutine first: it starts the JVM. */
static void stacks(void) {
    open_it();
    use_on_coroutine(NULL);
    run_thread(SMALL_STACK, use);
    run_thread(512 << 10, use_deep_down);
    run_thread(8 << 20, use_on_coroutine);
    use(NULL);
}

/* ---- handlers of signals ---- */

static sigjmp_buf escape;

static void on_fault(int number, siginfo_t *info, void *machine) {
    (void)machine;
    siglongjmp(escape, number == SIGSEGV && info->si_addr == (void *)8 ? 1 : 2);
}

static void on_fault_simple(int number) {
    siglongjmp(escape, number == SIGSEGV ? 3 : 4);
}

/* The handler that the kernel calls. */
static void *handler_of_kernel(void) {
    struct {
        void *handler;
        unsigned long flags, restorer, mask;
    } action;
    CHECK(syscall(SYS_rt_sigaction, SIGSEGV, NULL, &action, sizeof action.mask) == 0);
    return action.handler;
}

static void fault(void) {
    *(volatile int *)8 = 1;
}

/* The program's handlers get the program's faults, and the JVM keeps getting its own. */
static void faults(void) {
    struct sigaction mine = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER}, former;
    use_it();
    void *of_jvm = handler_of_kernel();
    CHECK(sigaction(SIGSEGV, &mine, &former) == 0 && former.sa_handler == SIG_DFL && handler_of_kernel() == of_jvm);
    CHECK(sigaction(SIGSEGV, NULL, &former) == 0 && former.sa_sigaction == on_fault);
    int reached = sigsetjmp(escape, 1);
    if (!reached) {
        fault();
    }
    CHECK(reached == 1);
    CHECK(signal(SIGSEGV, on_fault_simple) != SIG_ERR && handler_of_kernel() == of_jvm);
    reached = sigsetjmp(escape, 1);
    if (!reached) {
        fault();
    }
    CHECK(reached == 3);
    use(NULL);
}

/* Every 300 us from now on, or never more. */
static void set_timer(bool runs) {
    struct itimerval timer = {{0, runs ? 300 : 0}, {0, runs ? 300 : 0}};
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

static void jump(int number) {
    (void)number;
    siglongjmp(escape, 1);
}

/* What the thread was doing for the NIC when the signal came is done before the handler runs. */
static void jumps(void) {
    static volatile int jumped;
    open_it();
    static struct written to;
    to = make_written();
    CHECK(signal(SIGALRM, jump) != SIG_ERR);
    if (sigsetjmp(escape, 1)) {
        jumped++;
    }
    set_timer(jumped < JUMPS);
    while (jumped < JUMPS) {
        write_and_poll(&to);
    }
    end_written(&to);
    use(NULL);
}

static struct written of_handler;
static volatile int handled, ended_in_handler;

static void use_in_handler(int number) {
    (void)number;
    handled++;
    ended_in_handler += write_and_poll(&of_handler);
}

static void verbs_in_handlers(void) {
    open_it();
    struct written to = make_written();
    of_handler = make_written();
    CHECK(signal(SIGALRM, use_in_handler) != SIG_ERR);
    set_timer(true);
    while (handled < HANDLED || !ended_in_handler) {
        write_and_poll(&to);
    }
    set_timer(false);
    end_written(&to);
    end_written(&of_handler);
}

static void leave(int number) {
    (void)number;
    exit(IN_HANDLER);
}

static void exit_in_handler(void) {
    open_it();
    struct written to = make_written();
    CHECK(signal(SIGALRM, leave) != SIG_ERR);
    set_timer(true);
    while (true) {
        write_and_poll(&to);
    }
}

/* A handler that is older than the NIC. */
static void expect_closed_nic(void) {
    struct sockaddr_in nic = {.sin_family = AF_INET, .sin_port = htons(atoi(getenv("RXE_UDP_PORT"))),
        .sin_addr.s_addr = inet_addr(getenv("RXE_DEV"))};
    if (bind(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&nic, sizeof nic) != 0) {
        perror("the NIC is open");
        _exit(1);
    }
}

static void *exit_with_the_other(void *both) {
    pthread_barrier_wait(both);
    exit(IN_HANDLER);
}

/* The second thread in exit() neither overtakes the first, which closes the NIC, nor frees what that one reads. */
static void two_exits(void) {
    static pthread_barrier_t both;
    pthread_t other;
    CHECK(atexit(expect_closed_nic) == 0);
    open_it();
    make_written();
    CHECK(pthread_barrier_init(&both, NULL, 2) == 0 && pthread_create(&other, NULL, exit_with_the_other, &both) == 0);
    exit_with_the_other(&both);
}

static volatile int value_told;

static void take_value(int number, siginfo_t *info, void *machine) {
    (void)machine;
    value_told = number == SIGUSR1 && info->si_code == SI_QUEUE ? info->si_value.sival_int : -1;
}

static void *send_value(void *target) {
    CHECK(pthread_sigqueue(*(pthread_t *)target, SIGUSR1, (union sigval){.sival_int = 42}) == 0);
    return NULL;
}

/* A handler that waited is told what the sender told, once if it asked for that, and is reported as it was installed. */
static void handlers(void) {
    struct sigaction mine = {.sa_sigaction = take_value, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND}, found;
    pthread_t self = pthread_self(), sender;
    open_it();
    struct written to = make_written();
    CHECK(sigaddset(&mine.sa_mask, SIGUSR2) == 0 && sigaction(SIGUSR1, &mine, NULL) == 0 && sigaction(SIGUSR1, NULL, &found) == 0);
    CHECK(found.sa_sigaction == take_value && (found.sa_flags & (SA_SIGINFO | (int)SA_RESETHAND)) == mine.sa_flags);
    CHECK(sigismember(&found.sa_mask, SIGUSR2) && !sigismember(&found.sa_mask, SIGHUP));
    CHECK(pthread_create(&sender, NULL, send_value, &self) == 0);
    while (!value_told) {
        write_and_poll(&to);
    }
    CHECK(pthread_join(sender, NULL) == 0 && value_told == 42);
    CHECK(sigaction(SIGUSR1, NULL, &found) == 0 && found.sa_handler == SIG_DFL);
    CHECK(signal(SIGUSR1, SIG_IGN) == SIG_DFL && signal(SIGUSR1, leave) == SIG_IGN && signal(SIGUSR1, SIG_DFL) == leave);
    end_written(&to);
}

/* ---- little room ---- */

static void limit(int resource, rlim_t most) {
    struct rlimit both = {most, most};
    CHECK(setrlimit(resource, &both) == 0);
}

static void little_address_space(void) {
    limit(RLIMIT_AS, (rlim_t)1000 * MIB);
    use_it();
}

/* The JVM would end the process. */
static void no_address_space(void) {
    limit(RLIMIT_AS, (rlim_t)700 * MIB);
    open_it();
    listen_to_sentences();
    for (int i = 0; i < 2; i++) {
        CHECK(!ibv_alloc_pd(context) && errno == ENOMEM);
    }
    CHECK(was_said("ulimit -v"));
}

static void few_descriptors(void) {
    limit(RLIMIT_NOFILE, 20);
    open_it();
    listen_to_sentences();
    CHECK(!ibv_alloc_pd(context) && errno == EMFILE && was_said("ulimit -n"));
}

/* Whether the file with the JVM's own classes is open: it crashes when it loads one without. */
static bool has_classes(void) {
    char path[32], target[4096];
    for (int fd = 3; fd < 1024; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = 0;
        if (strstr(target, "/lib/modules")) {
            return true;
        }
    }
    return false;
}

/* As a daemon does it. */
static void closed_descriptors(void) {
    use_it();
    CHECK(has_classes());
    for (int fd = 3; fd < 1024; fd++) {
        close(fd);
    }
    CHECK(has_classes());
    use(NULL);
}

/* As a daemon that does not open them again: what is printed to them goes nowhere, and not into files and sockets of the JVM. */
static void closed_standard_files(void) {
    char target[16] = "";
    open_it();
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        close(fd);
    }
    use(NULL);
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        char path[] = "/proc/self/fd/0";
        path[sizeof path - 2] += fd;
        CHECK(readlink(path, target, sizeof target - 1) > 0 && strcmp(target, "/dev/null") == 0);
    }
    use(NULL);
}

/* A program that gives files the numbers it likes does not take those of the NIC. */
static void taken_descriptors(void) {
    int refused = 0;
    use_it();
    for (int fd = 3; fd < 1024; fd++) {
        CHECK(fcntl(fd, F_GETFD) < 0 || dup2(STDOUT_FILENO, fd) == fd || (errno == EBADF && dup3(STDOUT_FILENO, fd, O_CLOEXEC) == -1
            && errno == EBADF && ++refused));
    }
    CHECK(refused && has_classes() && dup2(STDOUT_FILENO, STDOUT_FILENO) == STDOUT_FILENO && dup2(-1, STDOUT_FILENO) == -1);
    CHECK(system("exec 3>&1 4>&1 9>&1") == 0);
    CHECK(close_range(9, 8, 0) == -1 && errno == EINVAL);
    use(NULL);
}

/* A program that has closed the descriptor of a channel may have a file with its number: no event goes there. */
static void closed_channel(void) {
    struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1}, error = {.qp_state = IBV_QPS_ERR};
    struct ibv_recv_wr receive = {0}, *bad;
    struct ibv_wc wc;
    open_it();
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    struct ibv_cq *cq = ibv_create_cq(context, 8, NULL, channel, 0);
    struct ibv_qp *qp = create(pd, cq, 8);
    int file = memfd_create("file", 0);
    CHECK(qp && ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0);
    CHECK(dup2(file, channel->fd) == channel->fd && ibv_req_notify_cq(cq, 0) == 0);
    CHECK(ibv_post_recv(qp, &receive, &bad) == 0 && ibv_modify_qp(qp, &error, IBV_QP_STATE) == 0);
    while (ibv_poll_cq(cq, 1, &wc) == 0) {
    }
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0 && ibv_destroy_comp_channel(channel) == 0);
    CHECK(lseek(file, 0, SEEK_END) == 0);
}

static void *library(void) {
    void *found = dlopen("libibverbs.so.1", RTLD_NOW);
    CHECK(found);
    return found;
}

static void unload(void) {
    CHECK(dlclose(library()) == 0);
    use_it();
    void *loaded = library();
    CHECK(dlclose(loaded) == 0 && dlclose(library()) == 0);
    use(NULL);
}

/* ---- arguments that are wrong ---- */

static void negative_counts(void) {
    use_it();
    struct written to = make_written();
    struct ibv_sge sge = {.addr = (uintptr_t)to.memory, .length = 8, .lkey = to.mr->lkey};
    struct ibv_send_wr send = {.sg_list = &sge, .num_sge = -1, .opcode = IBV_WR_SEND}, *bad_send = NULL;
    struct ibv_recv_wr receive = {.sg_list = &sge, .num_sge = -1}, *bad_receive = NULL;
    struct ibv_wc wc;
    CHECK(ibv_post_send(to.left, &send, &bad_send) == EINVAL && bad_send == &send);
    CHECK(ibv_post_recv(to.left, &receive, &bad_receive) == EINVAL && bad_receive == &receive);
    CHECK(ibv_poll_cq(to.cq, -1, &wc) == 0 && ibv_resize_cq(to.cq, -1) == EINVAL);
    CHECK(!ibv_create_cq(context, -1, NULL, NULL, 0) && errno == EINVAL);
    CHECK(!ibv_create_cq(context, 1, NULL, NULL, -1) && errno == EINVAL);
    end_written(&to);
}

/* An element counts its bytes to 2^32 - 1, and a message may be as long as the port says, in one element, too. */
static void long_elements(void) {
    const size_t most = (size_t)UINT32_MAX + 1;
    use_it();
    struct written to = make_written();
    char *memory = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(memory != MAP_FAILED);
    struct ibv_mr *mr = ibv_reg_mr(to.pd, memory, most, IBV_ACCESS_LOCAL_WRITE);
    struct ibv_port_attr port;
    CHECK(mr && ibv_query_port(context, 1, &port) == 0);
    struct ibv_sge all = {.addr = (uintptr_t)memory, .length = UINT32_MAX, .lkey = mr->lkey};
    struct ibv_sge few = {.addr = (uintptr_t)to.memory, .length = 8, .lkey = to.mr->lkey};
    struct ibv_recv_wr receive = {.wr_id = 1, .sg_list = &all, .num_sge = 1}, *bad_receive;
    struct ibv_send_wr send = {.wr_id = 2, .sg_list = &few, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}, *bad;
    strcpy(to.memory, "message");
    CHECK(ibv_post_recv(to.right, &receive, &bad_receive) == 0 && ibv_post_send(to.left, &send, &bad) == 0);
    for (uint64_t found = 0; found != 3;) {
        struct ibv_wc wc;
        if (ibv_poll_cq(to.cq, 1, &wc)) {
            CHECK(wc.status == IBV_WC_SUCCESS);
            found |= wc.wr_id;
        }
    }
    CHECK(strcmp(memory, "message") == 0);
    /* Refused by the peer, whose memory grants no such right, and not by the post. */
    all.length = port.max_msg_sz;
    send = (struct ibv_send_wr){.sg_list = &all, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .wr.rdma.rkey = mr->rkey};
    CHECK(ibv_post_send(to.left, &send, &bad) == 0);
    struct ibv_wc wc;
    while (ibv_poll_cq(to.cq, 1, &wc) == 0) {
    }
    CHECK(wc.status == IBV_WC_REM_ACCESS_ERR);
    all.length = UINT32_MAX;
    CHECK(ibv_post_send(to.right, &send, &bad) == EINVAL);
    CHECK(ibv_dereg_mr(mr) == 0 && munmap(memory, most) == 0);
    end_written(&to);
}

/* What the program goes on using by mistake is refused, as long as its memory has not become something else. */
static void destroyed(void) {
    open_it();
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    struct written to = make_written();
    struct ibv_ah_attr to_self = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 1, .hop_limit = 9}};
    CHECK(channel && ibv_query_gid(context, 1, 1, &to_self.grh.dgid) == 0);
    struct ibv_ah *ah = ibv_create_ah(to.pd, &to_self);
    struct ibv_srq_init_attr srq_attr = {.attr = {.max_wr = 4, .max_sge = 1}};
    struct ibv_srq *srq = ibv_create_srq(to.pd, &srq_attr);
    struct ibv_mw *mw = ibv_alloc_mw(to.pd, IBV_MW_TYPE_1);
    CHECK(ah && srq && mw && ibv_destroy_ah(ah) == 0 && ibv_destroy_srq(srq) == 0 && ibv_dealloc_mw(mw) == 0);
    end_written(&to);
    CHECK(ibv_destroy_comp_channel(channel) == 0);
    struct ibv_sge sge = {.length = 8};
    struct ibv_send_wr send = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad_send = NULL;
    struct ibv_recv_wr receive = {.sg_list = &sge, .num_sge = 1}, *bad_receive = NULL;
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    struct ibv_wc wc;
    /* Others have the numbers that those had. */
    struct written now = make_written();
    CHECK(ibv_destroy_qp(to.left) == ENOENT && ibv_destroy_cq(to.cq) == ENOENT && ibv_dereg_mr(to.mr) == ENOENT);
    CHECK(ibv_dealloc_pd(to.pd) == ENOENT && ibv_destroy_ah(ah) == ENOENT && ibv_destroy_srq(srq) == ENOENT);
    CHECK(ibv_dealloc_mw(mw) == ENOENT && ibv_destroy_comp_channel(channel) == EINVAL);
    CHECK(ibv_post_send(to.left, &send, &bad_send) == ENOENT && bad_send == &send);
    CHECK(ibv_post_recv(to.left, &receive, &bad_receive) == ENOENT && bad_receive == &receive);
    bad_receive = NULL;
    CHECK(ibv_post_srq_recv(srq, &receive, &bad_receive) == ENOENT && bad_receive == &receive);
    CHECK(ibv_modify_qp(to.left, &attr, IBV_QP_STATE) == ENOENT);
    CHECK(ibv_poll_cq(to.cq, 1, &wc) == 0 && ibv_req_notify_cq(to.cq, 0) == ENOENT);
    CHECK(!ibv_reg_mr(to.pd, &wc, sizeof wc, 0) && errno == ENOENT && !create(now.pd, to.cq, 1) && errno == ENOENT);
    while (!write_and_poll(&now)) {
    }
    end_written(&now);
}

/* ---- seccomp ---- */

/* What docs/run.md names: what a NIC calls that has started. */
static const int NEEDED[] = {SYS_read, SYS_write, SYS_close, SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_pread64, SYS_openat, SYS_unlinkat,
    SYS_fcntl, SYS_readlinkat, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_futex, SYS_clone, SYS_clone3,
    SYS_set_robust_list, SYS_rseq, SYS_prctl, SYS_exit, SYS_exit_group, SYS_gettid, SYS_getpid, SYS_tgkill, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_tgsigqueueinfo, SYS_sigaltstack, SYS_restart_syscall, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_sysinfo, SYS_getrusage, SYS_getrandom, SYS_clock_gettime, SYS_clock_nanosleep, SYS_epoll_ctl,
    SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd2, SYS_timerfd_settime, SYS_ppoll, SYS_socket, SYS_bind, SYS_connect, SYS_accept,
    SYS_shutdown, SYS_getsockname, SYS_getsockopt, SYS_setsockopt, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg,
    SYS_recvmmsg,
#ifdef SYS_epoll_wait
    /* Older forms, which AArch64 has not. */
    SYS_epoll_wait, SYS_unlink, SYS_poll, SYS_readlink,
#endif
};

enum { NEEDED_COUNT = sizeof NEEDED / sizeof *NEEDED };

/* Any other call kills the process. */
static void forbid_others(void) {
    struct sock_filter program[2 * NEEDED_COUNT + 2] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned short length = 1;
    for (int i = 0; i < NEEDED_COUNT; i++) {
        program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)NEEDED[i], 0, 1);
        program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    program[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog filter = {length, program};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0);
}

static void sandbox(void) {
    use_it();
    forbid_others();
    struct written to = make_written();
    for (int ended = 0; ended < JUMPS;) {
        ended += write_and_poll(&to);
    }
    end_written(&to);
}

/* As many queue pairs as the device says that it has. */
static void limits(void) {
    struct ibv_device_attr limits;
    open_it();
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq *cq = ibv_create_cq(context, 1, NULL, NULL, 0);
    CHECK(pd && cq && ibv_query_device(context, &limits) == 0);
    for (int i = 0; i < limits.max_qp; i++) {
        CHECK(create(pd, cq, 1));
    }
    use(NULL);
}

static void device(void) {
    use_it();
}

static const struct {
    const char *name;
    void (*run)(void);
    int status;
} CHECKS[] = {{"cancel", cancel, 0}, {"key-destructors", key_destructors, 0}, {"stacks", stacks, 0}, {"faults", faults, 0},
    {"jumps", jumps, 0},
    {"verbs-in-handlers", verbs_in_handlers, 0}, {"exit-in-handler", exit_in_handler, IN_HANDLER}, {"two-exits", two_exits, IN_HANDLER},
    {"handlers", handlers, 0},
    {"little-address-space", little_address_space, 0}, {"no-address-space", no_address_space, 0}, {"few-descriptors", few_descriptors, 0},
    {"closed-descriptors", closed_descriptors, 0}, {"closed-standard-files", closed_standard_files, 0},
    {"taken-descriptors", taken_descriptors, 0}, {"closed-channel", closed_channel, 0},
    {"exec-from-thread", exec_from_thread, 0}, {"fork", fork_after_use, 0},
    {"unload", unload, 0}, {"negative-counts", negative_counts, 0},
    {"long-elements", long_elements, 0}, {"destroyed", destroyed, 0}, {"sandbox", sandbox, 0},
    {"limits", limits, 0}, {"device", device, 0}};

enum { CHECK_COUNT = sizeof CHECKS / sizeof *CHECKS };

/* Whether a process ends as a check must, in time. */
static bool ends_well(pid_t child, int expected) {
    struct timespec longest = {.tv_sec = LONGEST_SECONDS};
    sigset_t ends;
    int status;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    if (sigtimedwait(&ends, NULL, &longest) != SIGCHLD) {
        puts("it hangs");
        kill(child, SIGKILL);
    }
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) {
        printf("signal %d\n", WTERMSIG(status));
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == expected;
}

static bool run_apart(int check) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    CHECK(sigprocmask(SIG_BLOCK, &ends, NULL) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        CHECK(sigprocmask(SIG_UNBLOCK, &ends, NULL) == 0);
        CHECKS[check].run();
        exit(0);
    }
    CHECK(child > 0);
    bool passed = ends_well(child, CHECKS[check].status);
    printf("%s %s\n", passed ? "ok" : "FAIL", CHECKS[check].name);
    return passed;
}

static bool is_among(const char *name, char **names) {
    for (char **at = names; *at; at++) {
        if (strcmp(*at, name) == 0) {
            return true;
        }
    }
    return false;
}

int main(int count, char **arguments) {
    bool only = count > 1 && strcmp(arguments[1], "--only") == 0, passed = true;
    bool apart = only || count == 1 || strcmp(arguments[1], "--but") == 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < CHECK_COUNT; i++) {
        bool named = is_among(CHECKS[i].name, arguments + 1);
        if (apart && named == only) {
            passed &= run_apart(i);
        } else if (!apart && named) {
            CHECKS[i].run();
        }
    }
    return passed ? 0 : 1;
}
