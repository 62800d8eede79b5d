/* An OpenSHMEM program that compares what it gets: put, get, atomics and a sum. Prints "all right". */
#include <shmem.h>
#include <stdio.h>

enum { WORDS = 4096 };

static long from_left[WORDS], back[WORDS], counter, value, total, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE], sync_work[SHMEM_REDUCE_SYNC_SIZE];

static void check(int is_right, const char *what) {
    if (!is_right) {
        fprintf(stderr, "PE %d: wrong: %s\n", shmem_my_pe(), what);
        shmem_global_exit(1);
    }
}

int main(void) {
    static long mine[WORDS];
    shmem_init();
    int self = shmem_my_pe(), all = shmem_n_pes(), right = (self + 1) % all, left = (self + all - 1) % all;
    for (int i = 0; i < WORDS; i++) {
        mine[i] = self * 1000003L + i;
    }
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) {
        sync_work[i] = SHMEM_SYNC_VALUE;
    }
    shmem_barrier_all();
    shmem_long_put(from_left, mine, WORDS, right);
    for (int pe = 0; pe < all; pe++) {
        shmem_long_atomic_add(&counter, self + 1, pe);
    }
    shmem_barrier_all();
    shmem_long_get(back, from_left, WORDS, right);
    for (int i = 0; i < WORDS; i++) {
        check(from_left[i] == left * 1000003L + i, "put");
        check(back[i] == mine[i], "get");
    }
    check(counter == (long)all * (all + 1) / 2, "atomic add");
    check(shmem_long_atomic_compare_swap(&counter, counter, 7, self) == (long)all * (all + 1) / 2, "compare and swap");
    value = self;
    shmem_long_sum_to_all(&total, &value, 1, 0, 0, all, work, sync_work);
    check(total == (long)all * (all - 1) / 2, "sum");
    shmem_barrier_all();
    if (self == 0) {
        printf("%d PEs: all right\n", all);
    }
    shmem_finalize();
    return 0;
}
