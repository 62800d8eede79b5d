/*
 * Which objects of connection management the program may pass: those it was given and has not freed. An address is looked up before it
 * is followed, so that a program that goes on with an id it has destroyed gets EINVAL.
 */
#ifndef RXE_LIVE_H
#define RXE_LIVE_H

#include <stdbool.h>

/* False without memory. */
bool rxe_live_add(const void *object);
/* Removes an object that the program frees. False when it is not there. */
bool rxe_live_remove(const void *object);
bool rxe_is_live(const void *object);

#endif
