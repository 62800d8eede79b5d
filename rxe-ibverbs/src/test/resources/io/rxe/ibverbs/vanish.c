/*
 * Memory that goes away while it is registered: each request that meets it fails with a status, and the process and its NIC go on.
 *
 *   vanish statuses        every operation, every way to go away, every kind of registration, on both sides
 *   vanish race N          N times: a thread takes memory away while READs and WRITEs of it are under way
 *   vanish peer N          N times: the same while another process READs and WRITEs it
 *   vanish handlers        faults of the program itself are its own, also within a verb
 *   vanish advise          what ibv_advise_mr answers
 *   vanish own             a peer READs every page of the process that is protected, those of the JVM among them
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "pair.h"

enum { PAGE = 4096, LENGTH = 16 * PAGE, DEPTH = 16, ALL_RIGHTS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE
    | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC };
enum way { UNMAPPED, NO_ACCESS, READ_ONLY, TRUNCATED, WAYS };
enum kind { ORDINARY, ON_DEMAND, IMPLICIT, KINDS };

static const char *const WAY_NAMES[] = {"unmapped", "no access", "read-only", "truncated"}, *const KIND_NAMES[] = {"ordinary", "on demand",
    "implicit"};

static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *left, *right;
static struct ibv_mr *steady_mr;
static char *steady;
/* What goes away, where nobody else maps anything, nor the sanitizer: what another maps in the hole would be written. */
#define PLACE ((void *)0x200000000000)
static char *vanishing;
static int file;

static void appear(void) {
    file = memfd_create("vanishing", 0);
    CHECK(file >= 0 && ftruncate(file, LENGTH) == 0);
    vanishing = mmap(PLACE, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
    CHECK(vanishing == PLACE);
    memset(vanishing, 'v', LENGTH);
}

static void vanish(enum way way) {
    switch (way) {
        case UNMAPPED:
            CHECK(munmap(vanishing, LENGTH) == 0);
            break;
        case TRUNCATED:
            CHECK(ftruncate(file, 0) == 0);
            break;
        default:
            CHECK(mprotect(vanishing, LENGTH, way == READ_ONLY ? PROT_READ : PROT_NONE) == 0);
    }
}

static void clear(void) {
    munmap(vanishing, LENGTH);
    close(file);
}

static struct ibv_mr *reg(enum kind kind) {
    struct ibv_mr *mr = kind == IMPLICIT ? ibv_reg_mr(pd, NULL, SIZE_MAX, ALL_RIGHTS | IBV_ACCESS_ON_DEMAND)
        : ibv_reg_mr(pd, vanishing, LENGTH, ALL_RIGHTS | (kind == ON_DEMAND ? IBV_ACCESS_ON_DEMAND : 0));
    CHECK(mr);
    return mr;
}

static void connect_again(struct ibv_qp *qp, struct ibv_qp *peer) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET, .qp_access_flags = ALL_RIGHTS};
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE) == 0);
    connect_to(qp, peer);
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_ACCESS_FLAGS) == 0);
}

static void begin(void) {
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list && (context = ibv_open_device(list[0])) && (pd = ibv_alloc_pd(context)));
    ibv_free_device_list(list);
    CHECK((cq = ibv_create_cq(context, 4 * DEPTH, NULL, NULL, 0)));
    CHECK((left = create(pd, cq, DEPTH)) && (right = create(pd, cq, DEPTH)));
    CHECK((steady = aligned_alloc(PAGE, LENGTH)) && (steady_mr = ibv_reg_mr(pd, steady, LENGTH, ALL_RIGHTS)));
    memset(steady, 's', LENGTH);
}

static struct ibv_wc next(void) {
    struct ibv_wc wc;
    int found;
    do {
        found = ibv_poll_cq(cq, 1, &wc);
    } while (found == 0);
    CHECK(found == 1);
    return wc;
}

static void post(enum ibv_wr_opcode opcode, char *local, uint32_t lkey, char *remote, uint32_t rkey, uint32_t bytes) {
    struct ibv_sge sge = {.addr = (uintptr_t)local, .length = bytes, .lkey = lkey};
    struct ibv_send_wr wr = {.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED}, *bad;
    if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        wr.wr.atomic.remote_addr = (uintptr_t)remote;
        wr.wr.atomic.rkey = rkey;
    } else {
        wr.wr.rdma.remote_addr = (uintptr_t)remote;
        wr.wr.rdma.rkey = rkey;
    }
    CHECK(ibv_post_send(left, &wr, &bad) == 0);
}

static void receive_into(char *memory, uint32_t lkey) {
    struct ibv_sge sge = {.addr = (uintptr_t)memory, .length = LENGTH, .lkey = lkey};
    struct ibv_recv_wr wr = {.wr_id = 2, .sg_list = &sge, .num_sge = 1}, *bad;
    CHECK(ibv_post_recv(right, &wr, &bad) == 0);
}

/* ---- statuses ---- */

struct operation {
    const char *name;
    enum ibv_wr_opcode opcode;
    uint32_t bytes;
    /* Whether what vanishes is at the peer, and whether it is written. */
    int remote, written;
};

static const struct operation OPERATIONS[] = {
    {"SEND from it", IBV_WR_SEND, LENGTH, 0, 0}, {"WRITE from it", IBV_WR_RDMA_WRITE, LENGTH, 0, 0},
    {"ATOMIC_WRITE from it", IBV_WR_ATOMIC_WRITE, 8, 0, 0}, {"READ into it", IBV_WR_RDMA_READ, LENGTH, 0, 1},
    {"FETCH_AND_ADD into it", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 0, 1}, {"receive into it", IBV_WR_SEND, LENGTH, 1, 1},
    {"WRITE to it", IBV_WR_RDMA_WRITE, LENGTH, 1, 1}, {"READ of it", IBV_WR_RDMA_READ, LENGTH, 1, 0},
    {"FETCH_AND_ADD at it", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 1, 1}, {"COMPARE_AND_SWAP at it", IBV_WR_ATOMIC_CMP_AND_SWP, 8, 1, 1},
    {"ATOMIC_WRITE to it", IBV_WR_ATOMIC_WRITE, 8, 1, 1}};

static void check_works(void) {
    connect_again(left, right);
    connect_again(right, left);
    memset(steady, 's', 64);
    steady[PAGE] = 0;
    post(IBV_WR_RDMA_WRITE, steady, steady_mr->lkey, steady + PAGE, steady_mr->rkey, 64);
    CHECK(next().status == IBV_WC_SUCCESS && steady[PAGE] == 's');
}

/* The first page stays where the file is truncated only on paper: a request names all of it, so that each meets what is gone. */
static void check_status(const struct operation *op, enum way way, enum kind kind) {
    appear();
    struct ibv_mr *mr = reg(kind);
    int sends = op->opcode == IBV_WR_SEND, fails = way != READ_ONLY || op->written;
    char *local = op->remote ? steady : vanishing, *remote = op->remote ? vanishing : steady;
    check_works();
    vanish(way);
    if (sends) {
        receive_into(remote, op->remote ? mr->lkey : steady_mr->lkey);
    }
    post(op->opcode, local, op->remote ? steady_mr->lkey : mr->lkey, remote, op->remote ? mr->rkey : steady_mr->rkey, op->bytes);
    enum ibv_wc_status expected = !fails ? IBV_WC_SUCCESS : op->remote ? IBV_WC_REM_OP_ERR : IBV_WC_LOC_PROT_ERR;
    enum ibv_wc_status found = -1, of_receive = -1;
    for (int waiting = sends && (op->remote || !fails) ? 2 : 1; waiting > 0; waiting--) {
        struct ibv_wc wc = next();
        *(wc.qp_num == left->qp_num ? &found : &of_receive) = wc.status;
    }
    int right_receive = !sends || (!fails ? of_receive == IBV_WC_SUCCESS : !op->remote || of_receive == IBV_WC_LOC_PROT_ERR);
    if (found != expected || !right_receive) {
        printf("%s, %s, %s: %s instead of %s, receive %s\n", op->name, WAY_NAMES[way], KIND_NAMES[kind], ibv_wc_status_str(found),
            ibv_wc_status_str(expected), ibv_wc_status_str(of_receive));
        fflush(stdout);
        _exit(1);
    }
    check_works();
    CHECK(ibv_dereg_mr(mr) == 0);
    clear();
}

static void statuses(void) {
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++) {
        for (int way = 0; way < WAYS; way++) {
            for (int kind = 0; kind < KINDS; kind++) {
                check_status(&OPERATIONS[i], way, kind);
            }
        }
    }
    /* Pages of an implicit region that no process can have, or has. */
    struct ibv_mr *all = reg(IMPLICIT);
    check_works();
    post(IBV_WR_RDMA_READ, steady, steady_mr->lkey, (char *)0x8000000000000000, all->rkey, 64);
    CHECK(next().status == IBV_WC_REM_OP_ERR);
    check_works();
    post(IBV_WR_RDMA_WRITE, steady, steady_mr->lkey, NULL, all->rkey, 64);
    CHECK(next().status == IBV_WC_REM_OP_ERR);
    check_works();
    CHECK(ibv_dereg_mr(all) == 0);
    CHECK(!ibv_reg_mr_iova2(pd, NULL, SIZE_MAX, PAGE, IBV_ACCESS_ON_DEMAND) && errno == EINVAL);
    CHECK(!ibv_reg_mr(pd, NULL, SIZE_MAX, IBV_ACCESS_LOCAL_WRITE) && errno == EINVAL);
}

/* ---- races ---- */

static void *vanish_soon(void *round) {
    int number = (int)(intptr_t)round;
    usleep((useconds_t)(number * 37 % 1500));
    vanish(number % WAYS == READ_ONLY ? UNMAPPED : number % WAYS);
    return NULL;
}

/* READs and WRITEs until one meets what is gone. Another status than that is a failure. */
static void use_until_gone(char *remote, uint32_t rkey) {
    enum ibv_wc_status status = IBV_WC_SUCCESS;
    for (int i = 0; status == IBV_WC_SUCCESS; i++) {
        post(i % 2 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ, steady, steady_mr->lkey, remote, rkey, LENGTH);
        status = next().status;
    }
    if (status != IBV_WC_REM_OP_ERR) {
        printf("memory vanished, but the request ended with: %s\n", ibv_wc_status_str(status));
    }
    CHECK(status == IBV_WC_REM_OP_ERR);
}

static void race(int rounds) {
    for (int round = 0; round < rounds; round++) {
        pthread_t thread;
        appear();
        struct ibv_mr *mr = reg(round % KINDS);
        check_works();
        CHECK(pthread_create(&thread, NULL, vanish_soon, (void *)(intptr_t)round) == 0);
        use_until_gone(vanishing, mr->rkey);
        CHECK(pthread_join(thread, NULL) == 0);
        check_works();
        CHECK(ibv_dereg_mr(mr) == 0);
        clear();
    }
}

/* What two processes tell each other. */
struct end {
    union ibv_gid gid;
    uint32_t qp_num, rkey;
};

static void reach(int from, int to, struct ibv_qp *qp, const struct end *mine, struct end *peer) {
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
    CHECK(write(to, mine, sizeof *mine) == sizeof *mine && read(from, peer, sizeof *peer) == sizeof *peer);
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_STATE) == 0);
    connect_gid(qp, peer->qp_num, &peer->gid);
    attr.qp_access_flags = ALL_RIGHTS;
    CHECK(ibv_modify_qp(qp, &attr, IBV_QP_ACCESS_FLAGS) == 0);
    /* Neither begins before the other is ready. */
    CHECK(write(to, "", 1) == 1 && read(from, &attr, 1) == 1);
}

static void peer(int rounds) {
    int up[2], down[2], status;
    CHECK(pipe(up) == 0 && pipe(down) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    begin();
    for (int round = 0; round < rounds; round++) {
        struct end mine = {.qp_num = left->qp_num}, other;
        struct ibv_mr *mr = NULL;
        CHECK(ibv_query_gid(context, 1, 1, &mine.gid) == 0);
        if (child) {
            appear();
            mr = reg(round % KINDS);
            mine.rkey = mr->rkey;
        }
        reach(child ? up[0] : down[0], child ? down[1] : up[1], left, &mine, &other);
        if (child) {
            vanish_soon((void *)(intptr_t)(round * 7 + 20));
        } else {
            use_until_gone(PLACE, other.rkey);
        }
        CHECK(write(child ? down[1] : up[1], "", 1) == 1 && read(child ? up[0] : down[0], &status, 1) == 1);
        if (child) {
            CHECK(ibv_dereg_mr(mr) == 0);
            clear();
        }
    }
    if (child) {
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* ---- what is the program's ---- */

static volatile int handled;
static char *guarded;

static void make_accessible(int number, siginfo_t *info, void *machine) {
    (void)machine;
    CHECK(number == SIGSEGV && (char *)info->si_addr >= guarded && (char *)info->si_addr < guarded + LENGTH);
    CHECK(mprotect(guarded, LENGTH, PROT_READ | PROT_WRITE) == 0);
    handled++;
}

/* A collector of garbage protects what it moves, and its handler makes it accessible. That must not look like memory that went away. */
static void handlers(void) {
    struct sigaction mine = {.sa_sigaction = make_accessible, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGSEGV, &mine, NULL) == 0);
    appear();
    struct ibv_mr *mr = reg(ORDINARY);
    guarded = vanishing;
    vanish(NO_ACCESS);
    CHECK(*(volatile char *)vanishing == 'v' && handled == 1);
    CHECK(ibv_dereg_mr(mr) == 0);
    check_works();
    struct ibv_sge sge = {.addr = (uintptr_t)steady, .length = 64, .lkey = steady_mr->lkey};
    struct ibv_send_wr wr = {.wr_id = 7, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
        .wr.rdma = {.remote_addr = (uintptr_t)steady + PAGE, .rkey = steady_mr->rkey}}, *bad;
    memcpy(vanishing, &wr, sizeof wr);
    vanish(NO_ACCESS);
    CHECK(ibv_post_send(left, (struct ibv_send_wr *)vanishing, &bad) == 0 && handled == 2);
    struct ibv_wc wc = next();
    CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == 7);
    clear();
}

/* Inline data is copied by the verb, which can say so itself where the memory is registered. */
static void inlined(void) {
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 4, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = 64}};
    struct ibv_qp *before = left;
    CHECK((left = ibv_create_qp(pd, &init)));
    appear();
    struct ibv_mr *mr = reg(ORDINARY);
    check_works();
    struct ibv_sge sge = {.addr = (uintptr_t)vanishing, .length = 64};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_INLINE,
        .wr.rdma = {.remote_addr = (uintptr_t)steady + PAGE, .rkey = steady_mr->rkey}}, *bad = NULL;
    vanish(NO_ACCESS);
    CHECK(ibv_post_send(left, &wr, &bad) == EFAULT && bad == &wr);
    post(IBV_WR_RDMA_WRITE, steady, steady_mr->lkey, steady + PAGE, steady_mr->rkey, 64);
    CHECK(next().status == IBV_WC_SUCCESS);
    CHECK(ibv_destroy_qp(left) == 0 && ibv_dereg_mr(mr) == 0);
    left = before;
    clear();
}

/* ---- ibv_advise_mr ---- */

static int advise(int advice, uint32_t flags, void *address, uint32_t bytes, uint32_t lkey) {
    struct ibv_sge sge = {.addr = (uintptr_t)address, .length = bytes, .lkey = lkey};
    return ibv_advise_mr(pd, (enum ibv_advise_mr_advice)advice, flags, &sge, 1);
}

static int resident(void) {
    unsigned char pages[LENGTH / PAGE];
    int found = 0;
    CHECK(mincore(vanishing, LENGTH, pages) == 0);
    for (int i = 0; i < LENGTH / PAGE; i++) {
        found += pages[i] & 1;
    }
    return found;
}

static void advice(void) {
    enum { FETCH = IBV_ADVISE_MR_ADVICE_PREFETCH, FETCH_WRITE = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
        NO_FAULT = IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, FLUSH = IBV_ADVISE_MR_FLAG_FLUSH };
    struct ibv_pd *other = ibv_alloc_pd(context);
    appear();
    clear();
    vanishing = mmap(vanishing, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(vanishing != MAP_FAILED && resident() == 0);
    struct ibv_mr *mr = reg(ON_DEMAND), *all = reg(IMPLICIT), *plain = reg(ORDINARY), *read_only = ibv_reg_mr(pd, vanishing, LENGTH,
        IBV_ACCESS_ON_DEMAND), *foreign = ibv_reg_mr(other, vanishing, LENGTH, IBV_ACCESS_ON_DEMAND);
    struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
    CHECK(read_only && foreign && mw);
    CHECK(advise(NO_FAULT, FLUSH, vanishing, PAGE, mr->lkey) == 0 && advise(NO_FAULT, 0, vanishing, PAGE, mr->lkey) == 0);
    CHECK(resident() == 0);
    CHECK(advise(FETCH_WRITE, FLUSH, vanishing + 1, PAGE, mr->lkey) == 0 && resident() == 2);
    CHECK(advise(FETCH, FLUSH, vanishing, LENGTH, read_only->lkey) == 0);
    CHECK(advise(FETCH_WRITE, FLUSH, vanishing, LENGTH, all->lkey) == 0 && resident() == LENGTH / PAGE);
    CHECK(advise(FETCH, 0, vanishing, LENGTH, mr->lkey) == 0 && advise(FETCH, FLUSH, vanishing, 0, mr->lkey) == 0);

    CHECK(advise(FETCH, 2, vanishing, PAGE, mr->lkey) == EINVAL && ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, NULL, 0) == EINVAL);
    CHECK(advise(3, 0, vanishing, PAGE, mr->lkey) == EOPNOTSUPP);
    CHECK(advise(FETCH, 0, vanishing, LENGTH + 1, mr->lkey) == EFAULT && advise(FETCH, 0, vanishing - 1, PAGE, mr->lkey) == EFAULT);
    CHECK(advise(FETCH, 0, vanishing, PAGE, mr->lkey ^ 1) == ENOENT && advise(FETCH, 0, vanishing, PAGE, mw->rkey) == EINVAL);
    CHECK(advise(FETCH, 0, vanishing, PAGE, foreign->lkey) == EPERM && advise(FETCH, 0, vanishing, PAGE, plain->lkey) == EINVAL);
    CHECK(advise(FETCH_WRITE, 0, vanishing, PAGE, read_only->lkey) == EPERM);
    CHECK(munmap(vanishing + PAGE, PAGE) == 0);
    CHECK(advise(FETCH, FLUSH, vanishing, LENGTH, mr->lkey) == EFAULT && advise(FETCH, 0, vanishing, LENGTH, mr->lkey) == 0);
    CHECK(advise(NO_FAULT, FLUSH, vanishing, LENGTH, mr->lkey) == 0 && advise(FETCH, FLUSH, NULL, PAGE, all->lkey) == EFAULT);
    uint32_t gone = plain->lkey;
    CHECK(ibv_dereg_mr(plain) == 0 && advise(FETCH, 0, vanishing, PAGE, gone) == EFAULT);

    struct ibv_device_attr_ex attr;
    CHECK(ibv_query_device_ex(context, NULL, &attr) == 0);
    CHECK(attr.odp_caps.general_caps == (IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT));
    CHECK((attr.odp_caps.per_transport_caps.rc_odp_caps & 0x3f) == 0x3f && (attr.xrc_odp_caps & 0x3f) == 0x3d);
    CHECK(attr.odp_caps.per_transport_caps.uc_odp_caps == 0x27 && attr.odp_caps.per_transport_caps.ud_odp_caps == 0x23);
}

/* ---- own ---- */

static int is_readable(uintptr_t address) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)address, 1};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

/* The last page of each, as that of a stack or heap that grows stays protected longest. A stack may be made there meanwhile. */
static void own(void) {
    struct ibv_mr *all = reg(IMPLICIT);
    char line[512], rights[8];
    uintptr_t end;
    int met = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) {
        CHECK(sscanf(line, "%*x-%lx %7s", &end, rights) == 2);
        if (rights[0] == 'r' || is_readable(end - PAGE)) {
            continue;
        }
        check_works();
        post(IBV_WR_RDMA_READ, steady, steady_mr->lkey, (char *)end - PAGE, all->rkey, 64);
        enum ibv_wc_status status = next().status;
        if (status != IBV_WC_REM_OP_ERR && !is_readable(end - PAGE)) {
            printf("READ of %s%s\n", line, ibv_wc_status_str(status));
            fflush(stdout);
            _exit(1);
        }
        met++;
    }
    CHECK(fclose(maps) == 0 && met > 0);
    check_works();
    CHECK(ibv_dereg_mr(all) == 0);
}

int main(int count, char **arguments) {
    int rounds = count > 2 ? atoi(arguments[2]) : 1;
    CHECK(count > 1);
    if (strcmp(arguments[1], "peer") == 0) {
        peer(rounds);
    } else {
        begin();
        if (strcmp(arguments[1], "statuses") == 0) {
            statuses();
            inlined();
        } else if (strcmp(arguments[1], "race") == 0) {
            race(rounds);
        } else if (strcmp(arguments[1], "handlers") == 0) {
            handlers();
        } else if (strcmp(arguments[1], "own") == 0) {
            own();
        } else {
            advice();
        }
    }
    puts("all right");
    return 0;
}
