#include "rxe.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* For `rxe run`, which is a Java program: becomes another program, so that signals, exit status and terminal are that program's own. */

/* Bytes, not the text of a Java string: in UTF-8, JNI writes letters beyond 16 bits in its own way. NULL without memory. */
static char *text_of(JNIEnv *env, jbyteArray bytes) {
    jsize length = (*env)->GetArrayLength(env, bytes);
    char *text = calloc((size_t)length + 1, 1);
    if (text) {
        (*env)->GetByteArrayRegion(env, bytes, 0, length, (jbyte *)text);
    }
    return text;
}

static bool set_variables(JNIEnv *env, jobjectArray names, jobjectArray values) {
    bool done = true;
    for (jsize i = 0; done && i < (*env)->GetArrayLength(env, names); i++) {
        char *name = text_of(env, (*env)->GetObjectArrayElement(env, names, i));
        char *value = text_of(env, (*env)->GetObjectArrayElement(env, values, i));
        done = name && value && setenv(name, value, 1) == 0;
        free(name);
        free(value);
    }
    return done;
}

JNIEXPORT jint JNICALL Java_io_rxe_ibverbs_ProgramStart_exec(JNIEnv *env, jclass type, jbyteArray path, jobjectArray arguments,
                                                              jobjectArray names, jobjectArray values);

/* Returns an errno; on success it does not return. */
JNIEXPORT jint JNICALL Java_io_rxe_ibverbs_ProgramStart_exec(JNIEnv *env, jclass type, jbyteArray path, jobjectArray arguments,
                                                              jobjectArray names, jobjectArray values) {
    (void)type;
    jsize count = (*env)->GetArrayLength(env, arguments);
    char **vector = calloc((size_t)count + 1, sizeof *vector);
    char *path_text = text_of(env, path);
    bool whole = vector && path_text && set_variables(env, names, values);
    for (jsize i = 0; whole && i < count; i++) {
        vector[i] = text_of(env, (*env)->GetObjectArrayElement(env, arguments, i));
        whole = vector[i] != NULL;
    }
    if (!whole) {
        return ENOMEM;
    }
    /* The JVM keeps some signals blocked in its threads; the dispositions it set are reset by exec itself. */
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    /* A script without an interpreter line is the shell's, as where a shell starts it. */
    execvp(path_text, vector);
    return errno;
}
