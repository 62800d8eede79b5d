#include "rxe.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* For `rxe run`, which is a Java program: becomes another program, so that signals, exit status and terminal are that program's own. */

static bool set_variables(JNIEnv *env, jobjectArray names, jobjectArray values) {
    bool done = true;
    for (jsize i = 0; done && i < (*env)->GetArrayLength(env, names); i++) {
        jstring name = (*env)->GetObjectArrayElement(env, names, i);
        jstring value = (*env)->GetObjectArrayElement(env, values, i);
        const char *name_text = (*env)->GetStringUTFChars(env, name, NULL);
        const char *value_text = (*env)->GetStringUTFChars(env, value, NULL);
        done = name_text && value_text && setenv(name_text, value_text, 1) == 0;
    }
    return done;
}

JNIEXPORT jint JNICALL Java_io_rxe_ibverbs_ProgramStart_exec(JNIEnv *env, jclass type, jstring path, jobjectArray arguments,
                                                              jobjectArray names, jobjectArray values);

/* Returns an errno; on success it does not return. */
JNIEXPORT jint JNICALL Java_io_rxe_ibverbs_ProgramStart_exec(JNIEnv *env, jclass type, jstring path, jobjectArray arguments,
                                                              jobjectArray names, jobjectArray values) {
    (void)type;
    jsize count = (*env)->GetArrayLength(env, arguments);
    char **vector = calloc((size_t)count + 1, sizeof *vector);
    const char *path_text = (*env)->GetStringUTFChars(env, path, NULL);
    if (!vector || !path_text || !set_variables(env, names, values)) {
        return ENOMEM;
    }
    for (jsize i = 0; i < count; i++) {
        vector[i] = (char *)(*env)->GetStringUTFChars(env, (*env)->GetObjectArrayElement(env, arguments, i), NULL);
    }
    /* The JVM keeps some signals blocked in its threads; the dispositions it set are reset by exec itself. */
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    execv(path_text, vector);
    return errno;
}
