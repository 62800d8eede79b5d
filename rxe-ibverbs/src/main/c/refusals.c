#include "address.h"
#include "rxe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Verbs that are done without Java, and fail all the same where a fault is made on purpose. Java has the rules, so that a verb which a rule
 * names starts the NICs; any other is as it is without faults.
 */

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* The rules and the script, as they are written; null for none. */
static const char *rules;
static char *script;

static void read_rules(void) {
    struct stat about;
    const char *path = getenv("RXE_VERBS_SCRIPT");
    FILE *file = path ? fopen(path, "re") : NULL;
    rules = getenv("RXE_VERBS_FAULT");
    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && (script = calloc(1, (size_t)about.st_size + 1))) {
        script[fread(script, 1, (size_t)about.st_size, file)] = 0;
    }
    if (file) {
        fclose(file);
    }
}

/* Too often true does no harm: Java reads the rules. */
static bool is_named(const char *verb) {
    UNINTERRUPTED;
    pthread_once(&once, read_rules);
    return (rules && strcasestr(rules, verb)) || (script && strcasestr(script, verb));
}

int rxe_refusal(unsigned nic, const char *verb) {
    if (!is_named(verb)) {
        return 0;
    }
    int status = rxe_claim_addresses();
    return status ? status : -up(UP_REFUSE, (int)nic, ADDRESS(verb));
}
