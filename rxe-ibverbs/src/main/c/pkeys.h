/* The P_Key table of the NIC of this process. */
#ifndef RXE_PKEYS_H
#define RXE_PKEYS_H

#include <stdint.h>

enum { MOST_PKEYS = 128 };

/* At least one, in network order. */
struct rxe_pkeys {
    int count;
    uint16_t keys[MOST_PKEYS];
};

/* Reads RXE_PKEYS; without it the table has 0xffff alone. 0, or EINVAL after a sentence. */
int rxe_read_pkeys(struct rxe_pkeys *table);
/* The index of a P_Key in network order; -1 without. */
int rxe_pkey_index(const struct rxe_pkeys *table, uint16_t key);

#endif
