/*
 * For the programs of the tests: a check that fails is printed, and ends the program with status 1. Not by exit(), which threads may not
 * call at once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("line %d: %s (errno %d)\n", __LINE__, #condition, errno); \
            fflush(stdout); \
            _exit(1); \
        } \
    } while (0)
