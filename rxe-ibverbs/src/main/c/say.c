#include "rxe.h"
#include <stdarg.h>
#include <stdio.h>

/* Messages to the user. This file calls nothing else of the library but signals.c, so every other may call it. */

void rxe_say(const char *format, ...) {
    UNINTERRUPTED;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "rxe: %s\n", text);
}
