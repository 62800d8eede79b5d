#include "live.h"
#include "rxe.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A hash set of addresses, with linear probing. Its size is a power of two, and at most half of it is used. */

pthread_mutex_t rxe_live_lock = PTHREAD_MUTEX_INITIALIZER;
static const void **slots;
static size_t size, used;

static size_t home_of(const void *object) {
    /* Fibonacci hashing: addresses differ in their middle bits. */
    return (size_t)(((uint64_t)(uintptr_t)object * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (size - 1);
}

/* The slot of an object, or the free one where it belongs. There is a free one. */
static size_t slot_of(const void *object) {
    size_t slot = home_of(object);
    while (slots[slot] && slots[slot] != object) {
        slot = (slot + 1) & (size - 1);
    }
    return slot;
}

static bool grow(void) {
    const void **former = slots;
    size_t former_size = size, larger = size ? 2 * size : 64;
    const void **made = calloc(larger, sizeof *made);
    if (!made) {
        return false;
    }
    slots = made;
    size = larger;
    for (size_t i = 0; i < former_size; i++) {
        if (former[i]) {
            slots[slot_of(former[i])] = former[i];
        }
    }
    free(former);
    return true;
}

bool rxe_live_add(const void *object) {
    HOLD(&rxe_live_lock);
    bool added = 2 * (used + 1) <= size || grow();
    if (added) {
        slots[slot_of(object)] = object;
        used++;
    }
    return added;
}

/* Moves those behind a slot that became free to where a look-up finds them. */
static void close_gap(size_t gap) {
    for (size_t slot = (gap + 1) & (size - 1); slots[slot]; slot = (slot + 1) & (size - 1)) {
        const void *object = slots[slot];
        slots[slot] = NULL;
        slots[slot_of(object)] = object;
    }
}

bool rxe_live_remove(const void *object) {
    HOLD(&rxe_live_lock);
    size_t slot = size && object ? slot_of(object) : 0;
    bool found = size && object && slots[slot];
    if (found) {
        slots[slot] = NULL;
        used--;
        close_gap(slot);
    }
    return found;
}

bool rxe_is_live(const void *object) {
    HOLD(&rxe_live_lock);
    return size && object && slots[slot_of(object)];
}
