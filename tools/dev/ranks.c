/* An MPI program that compares what it gets: messages of many sizes to every rank, sums, and one-sided operations. Prints "all right".
   What MPI writes over munmap must leave alone where threads of the JVM return to, behind the system call: they run while it writes. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WORDS = 1 << 17, ROUNDS = 20 };

static int rank, ranks;

static void check(int is_right, const char *what) {
    if (!is_right) {
        fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static uint32_t word(int from, int to, int place) {
    return (uint32_t)(from * 31 + to) * UINT32_C(2654435761) + (uint32_t)place;
}

/* Each rank sends to each other, all at once. */
static void exchange(int words) {
    uint32_t *out = malloc((size_t)ranks * words * sizeof *out), *in = malloc((size_t)ranks * words * sizeof *in);
    check(out && in, "memory");
    for (int to = 0; to < ranks; to++) {
        for (int i = 0; i < words; i++) {
            out[to * words + i] = word(rank, to, i);
        }
    }
    MPI_Alltoall(out, words, MPI_UINT32_T, in, words, MPI_UINT32_T, MPI_COMM_WORLD);
    for (int from = 0; from < ranks; from++) {
        for (int i = 0; i < words; i++) {
            check(in[from * words + i] == word(from, rank, i), "MPI_Alltoall");
        }
    }
    free(out);
    free(in);
}

static void sum(void) {
    static double values[WORDS], sums[WORDS];
    for (int i = 0; i < WORDS; i++) {
        values[i] = rank + i;
    }
    MPI_Allreduce(values, sums, WORDS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < WORDS; i++) {
        check(sums[i] == ranks * (ranks - 1) / 2 + (double)ranks * i, "MPI_Allreduce");
    }
}

/* The window of each rank: a word that all add to, one that all count with, and a block for each rank. */
static void one_sided(void) {
    uint64_t *window, block[256], back[256], one = 1, before;
    MPI_Win win;
    MPI_Win_allocate((MPI_Aint)(2 + 256 * ranks) * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    window[0] = window[1] = 0;
    for (int i = 0; i < 256; i++) {
        block[i] = (uint64_t)rank << 32 | (unsigned)i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) {
        for (int to = 0; to < ranks; to++) {
            MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);
            MPI_Put(block, 256, MPI_UINT64_T, to, 2 + 256 * rank, 256, MPI_UINT64_T, win);
            MPI_Win_flush(to, win);
            MPI_Get(back, 256, MPI_UINT64_T, to, 2 + 256 * rank, 256, MPI_UINT64_T, win);
            MPI_Accumulate(&one, 1, MPI_UINT64_T, to, 0, 1, MPI_UINT64_T, MPI_SUM, win);
            MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, to, 1, MPI_SUM, win);
            MPI_Win_unlock(to, win);
            check(before < (uint64_t)(ROUNDS * ranks), "MPI_Fetch_and_op");
            for (int i = 0; i < 256; i++) {
                check(back[i] == block[i], "MPI_Put and MPI_Get");
            }
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    check(window[0] == (uint64_t)(ROUNDS * ranks), "MPI_Accumulate");
    check(window[1] == (uint64_t)(ROUNDS * ranks), "the sum of MPI_Fetch_and_op");
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
}

/* mov $11, %eax; syscall, or another function, in which this looks for nothing. */
static const unsigned char MUNMAP[] = {0xB8, 11, 0, 0, 0, 0x0F, 0x05};

int main(int argc, char **argv) {
    unsigned char before[16];
    memcpy(before, (void *)munmap, sizeof before);
    MPI_Init(&argc, &argv);
    check(memcmp(before, MUNMAP, sizeof MUNMAP) || !memcmp(before + sizeof MUNMAP, (char *)munmap + sizeof MUNMAP,
        sizeof before - sizeof MUNMAP), "munmap behind its system call");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int words = 1; words <= WORDS; words *= 8) {
        exchange(words);
    }
    sum();
    one_sided();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d ranks: all right\n", ranks);
    }
    MPI_Finalize();
    return 0;
}
