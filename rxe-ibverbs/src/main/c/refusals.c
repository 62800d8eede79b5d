#include "address.h"
#include "rxe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Verbs that are done without Java, and fail all the same where a fault is made on purpose. Java has the rules, so that a verb which a rule
 * names starts the NICs; any other is as it is without faults.
 */

/* The rules and the script, as they are written; read once, without a lock, which a fork might leave taken in the child. */
static char *written;

static char *read_rules(void) {
    const char *rules = getenv("RXE_VERBS_FAULT"), *path = getenv("RXE_VERBS_SCRIPT");
    FILE *file = path ? fopen(path, "re") : NULL;
    /* A pipe has no end to go to: Java reads it. */
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    size = size > 0 && fseek(file, 0, SEEK_SET) == 0 ? size : 0;
    size_t before = rules ? strlen(rules) + 1 : 0;
    char *text = calloc(1, before + (size_t)size + 1);
    if (text && rules) {
        memcpy(text, rules, before - 1);
        text[before - 1] = '\n';
    }
    if (text && size) {
        text[before + fread(text + before, 1, (size_t)size, file)] = 0;
    }
    if (file) {
        fclose(file);
    }
    return text;
}

/* Too often true does no harm: Java reads the rules. */
static bool is_named(const char *verb) {
    UNINTERRUPTED;
    char *text = __atomic_load_n(&written, __ATOMIC_ACQUIRE);
    if (!text && (text = read_rules())) {
        char *first = NULL;
        if (!__atomic_compare_exchange_n(&written, &first, text, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            free(text);
            text = first;
        }
    }
    return text && strcasestr(text, verb);
}

int rxe_refusal(unsigned nic, const char *verb) {
    if (!is_named(verb)) {
        return 0;
    }
    int status = rxe_claim_addresses();
    return status ? status : -up(UP_REFUSE, (int)nic, ADDRESS(verb));
}
