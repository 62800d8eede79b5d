#include "pkeys.h"
#include "rxe.h"
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The P_Key table, read from the environment: io.rxe.verbs.PartitionKeys reads the same for the NIC, and a test compares. */

enum { DEFAULT = 0xffff, PARTITION = 0x7fff, LARGEST = 0xffff, MOST_DIGITS = 7 };

static bool refuse(const char *list, const char *word, size_t length, const char *why) {
    rxe_say("RXE_PKEYS is '%s': '%.*s' %s", list, (int)length, word, why);
    return false;
}

/* Reads one P_Key, which ends at a comma or with the list. False after a sentence. */
static bool read_key(struct rxe_pkeys *table, const char *list, const char *word, size_t length) {
    const char *digits = word + 2;
    size_t count = length < 2 ? 0 : length - 2;
    if (count < 1 || count > MOST_DIGITS || strncasecmp(word, "0x", 2) != 0 || strspn(digits, "0123456789abcdefABCDEF") != count) {
        return refuse(list, word, length, "is no P_Key: give numbers in hexadecimal, such as 0x8001, with commas between them");
    }
    unsigned long key = strtoul(digits, NULL, 16);
    if (key > LARGEST || !(key & PARTITION)) {
        return refuse(list, word, length, "is not in 0x0001..0x7fff (limited member) or 0x8001..0xffff (full member): give the number of a"
            " partition, plus 0x8000 for a full member");
    }
    if (rxe_pkey_index(table, htobe16((uint16_t)key)) >= 0) {
        return refuse(list, word, length, "is in the table twice, once is allowed: leave one out");
    }
    if (table->count == MOST_PKEYS) {
        return refuse(list, word, length, "is one more than the 128 P_Keys of a table: leave some out");
    }
    table->keys[table->count++] = htobe16((uint16_t)key);
    return true;
}

int rxe_read_pkeys(struct rxe_pkeys *table) {
    const char *list = getenv("RXE_PKEYS");
    table->count = 0;
    if (!list || !list[strspn(list, " \t")]) {
        table->keys[table->count++] = htobe16(DEFAULT);
        return 0;
    }
    for (const char *word = list; word;) {
        size_t length = strcspn(word, ",");
        if (!read_key(table, list, word, length)) {
            return EINVAL;
        }
        word = word[length] ? word + length + 1 : NULL;
    }
    return 0;
}

int rxe_pkey_index(const struct rxe_pkeys *table, uint16_t key) {
    for (int i = 0; i < table->count; i++) {
        if (table->keys[i] == key) {
            return i;
        }
    }
    return -1;
}
