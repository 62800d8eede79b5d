#include "address.h"
#include "rxe.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The JVM starts with the first verb that needs the NIC, never before: a program may open a device, look at it and fork. A child of a
 * process in which the JVM ran cannot use it.
 */

static const struct {
    const char *name, *signature;
} METHODS[UPCALLS] = {
    [UP_OPEN] = {"open", "(J)I"},
    [UP_SHUTDOWN] = {"shutdown", "()I"},
    [UP_ALLOC_PD] = {"allocPd", "()I"},
    [UP_DEALLOC_PD] = {"deallocPd", "(I)I"},
    [UP_REG_MR] = {"regMr", "(IJJJIJ)I"},
    [UP_DEREG_MR] = {"deregMr", "(I)I"},
    [UP_CREATE_CQ] = {"createCq", "(IJZJI)I"},
    [UP_DESTROY_CQ] = {"destroyCq", "(I)I"},
    [UP_CREATE_QP] = {"createQp", "(IIIIJJ)I"},
    [UP_MODIFY_QP] = {"modifyQp", "(IJI)I"},
    [UP_QUERY_QP] = {"queryQp", "(IJJ)I"},
    [UP_DESTROY_QP] = {"destroyQp", "(I)I"},
    [UP_CREATE_SRQ] = {"createSrq", "(IJJ)I"},
    [UP_MODIFY_SRQ] = {"modifySrq", "(IJI)I"},
    [UP_QUERY_SRQ] = {"querySrq", "(IJ)I"},
    [UP_DESTROY_SRQ] = {"destroySrq", "(I)I"},
    [UP_CREATE_AH] = {"createAh", "(IJ)I"},
    [UP_DESTROY_AH] = {"destroyAh", "(I)I"},
    [UP_INIT_AH_FROM_WC] = {"initAhFromWc", "(JJJ)I"},
    [UP_ATTACH_MCAST] = {"attachMcast", "(IJ)I"},
    [UP_DETACH_MCAST] = {"detachMcast", "(IJ)I"},
    [UP_POST_SEND] = {"postSend", "(IJJ)I"},
    [UP_POST_RECV] = {"postRecv", "(IJJ)I"},
    [UP_POST_SRQ_RECV] = {"postSrqRecv", "(IJJ)I"},
    [UP_POLL_CQ] = {"pollCq", "(IIJ)I"},
    [UP_REQ_NOTIFY_CQ] = {"reqNotifyCq", "(IZ)I"},
    [UP_CM_CREATE] = {"create", "(JI)I"},
    [UP_CM_DESTROY] = {"destroy", "(I)I"},
    [UP_CM_BIND] = {"bind", "(IZ)I"},
    [UP_CM_RESOLVE_ADDR] = {"resolveAddress", "(IZ)I"},
    [UP_CM_RESOLVE_ROUTE] = {"resolveRoute", "(I)I"},
    [UP_CM_LISTEN] = {"listen", "(II)I"},
    [UP_CM_PREPARE_QP] = {"prepareQp", "(I)I"},
    [UP_CM_CONNECT] = {"connect", "(IIJIII)I"},
    [UP_CM_ACCEPT] = {"accept", "(IIJ)I"},
    [UP_CM_REJECT] = {"reject", "(IJI)I"},
    [UP_CM_ESTABLISH] = {"establish", "(I)I"},
    [UP_CM_NOTIFY] = {"notifyEstablished", "(I)I"},
    [UP_CM_DISCONNECT] = {"disconnect", "(I)I"},
    [UP_CM_INIT_QP_ATTR] = {"initQpAttr", "(IJJ)I"},
    [UP_CM_JOIN] = {"join", "(IIJJ)I"},
    [UP_CM_LEAVE] = {"leave", "(IIJ)I"},
    [UP_REREG_MR] = {"reregMr", "(IIIJJI)I"},
    [UP_ALLOC_MW] = {"allocMw", "(IIJ)I"},
    [UP_BIND_MW] = {"bindMw", "(IJJ)I"},
    [UP_DEALLOC_MW] = {"deallocMw", "(I)I"},
    [UP_RESIZE_CQ] = {"resizeCq", "(IIJ)I"},
    [UP_OPEN_XRCD] = {"openXrcd", "()I"},
    [UP_CLOSE_XRCD] = {"closeXrcd", "(I)I"},
    [UP_CREATE_XRC_SRQ] = {"createXrcSrq", "(IIIJJ)I"},
    [UP_SRQ_NUMBER] = {"srqNumber", "(I)I"},
    [UP_CREATE_XRC_QP] = {"createXrcQp", "(IJ)I"},
    [UP_ALLOC_PARENT_PD] = {"allocParentPd", "(I)I"},
};

#define FORKED "a child of the process that uses the device cannot use it: open the device after the fork"

enum { MAX_OPTIONS = 64, MAX_LINE = 65536 };

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static JavaVM *vm;
static const char *const CLASSES[] = {"io/rxe/ibverbs/Upcalls", "io/rxe/ibverbs/CmUpcalls", "io/rxe/ibverbs/ExtendedUpcalls"};

enum { UPCALL_CLASSES = sizeof CLASSES / sizeof *CLASSES };

/* Those of CLASSES. */
static jclass upcalls[UPCALL_CLASSES];
static jmethodID methods[UPCALLS];
static atomic_bool starting, running, failed, forked;
static pthread_key_t attached;
/* Of this thread; this library is preloaded, so that the fastest model of thread-local storage is possible. */
static __thread JNIEnv *thread_env __attribute__((tls_model("initial-exec")));

/* ---- what Java calls: io.rxe.ibverbs.Downcalls ---- */

static jobject JNICALL down_buffer(JNIEnv *env, jclass type, jlong address, jlong bytes) {
    (void)type;
    return (*env)->NewDirectByteBuffer(env, (void *)(intptr_t)address, bytes);
}

static void JNICALL down_completion(JNIEnv *env, jclass type, jlong address) {
    (void)env, (void)type;
    struct rxe_cq *cq = (struct rxe_cq *)(intptr_t)address;
    struct rxe_channel *channel = (struct rxe_channel *)cq->ex.base.channel;
    event_queue_push(&channel->events, (struct event){.element = cq, .reported = &cq->comp_reported});
}

static void push_async(struct ibv_context *context, void *element, int type, uint32_t *reported) {
    event_queue_push(&context_of(context)->async, (struct event){.element = element, .type = type, .reported = reported});
}

static void JNICALL down_queue_pair_event(JNIEnv *env, jclass class, jlong address, jint type) {
    (void)env, (void)class;
    struct rxe_qp *qp = (struct rxe_qp *)(intptr_t)address;
    push_async(qp->ex.qp_base.context, qp, type, &qp->async_reported);
}

static void JNICALL down_completion_queue_event(JNIEnv *env, jclass class, jlong address, jint type) {
    (void)env, (void)class;
    struct rxe_cq *cq = (struct rxe_cq *)(intptr_t)address;
    push_async(cq->ex.base.context, cq, type, &cq->async_reported);
}

static void JNICALL down_shared_queue_event(JNIEnv *env, jclass class, jlong address, jint type) {
    (void)env, (void)class;
    struct rxe_srq *srq = (struct rxe_srq *)(intptr_t)address;
    push_async(srq->base.context, srq, type, &srq->async_reported);
}

static void JNICALL down_device_event(JNIEnv *env, jclass class, jint type) {
    (void)env, (void)class;
    rxe_raise_everywhere(type);
}

static bool register_downcalls(JNIEnv *env) {
    JNINativeMethod natives[] = {
        {"buffer", "(JJ)Ljava/nio/ByteBuffer;", (void *)down_buffer},
        {"completion", "(J)V", (void *)down_completion},
        {"queuePairEvent", "(JI)V", (void *)down_queue_pair_event},
        {"completionQueueEvent", "(JI)V", (void *)down_completion_queue_event},
        {"sharedReceiveQueueEvent", "(JI)V", (void *)down_shared_queue_event},
        {"deviceEvent", "(I)V", (void *)down_device_event},
    };
    jclass type = (*env)->FindClass(env, "io/rxe/ibverbs/Downcalls");
    return type && (*env)->RegisterNatives(env, type, natives, sizeof natives / sizeof *natives) == 0;
}

/* ---- start ---- */

/* The file beside this library, or the one RXE_JVM names: the path of libjvm.so, then one option of the JVM a line. */
static FILE *open_options(char *path, size_t size) {
    const char *named = getenv("RXE_JVM");
    Dl_info self;
    if (named) {
        snprintf(path, size, "%s", named);
    } else if (dladdr((void *)METHODS, &self) && self.dli_fname && strrchr(self.dli_fname, '/')) {
        snprintf(path, size, "%.*s/jvm.options", (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
    } else {
        return NULL;
    }
    return fopen(path, "re");
}

static bool read_line(FILE *file, char *line) {
    if (!fgets(line, MAX_LINE, file)) {
        return false;
    }
    line[strcspn(line, "\n")] = 0;
    return true;
}

/* Creates the JVM as the file says. The options live until the process ends. */
static JNIEnv *create_jvm(void) {
    char path[PATH_MAX] = "jvm.options";
    static char line[MAX_LINE];
    JavaVMOption options[MAX_OPTIONS];
    JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .options = options};
    FILE *file = open_options(path, sizeof path);
    if (!file || !read_line(file, line)) {
        rxe_say("cannot read %s: start the program with `tools/rxe run`, or set what `tools/rxe run --print-env` prints", path);
        if (file) {
            fclose(file);
        }
        return NULL;
    }
    void *library = dlopen(line, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        rxe_say("cannot load the JVM that %s names: %s: install a JDK, or run `tools/rxe run` again", path, dlerror());
        fclose(file);
        return NULL;
    }
    while (arguments.nOptions < MAX_OPTIONS && read_line(file, line)) {
        options[arguments.nOptions++] = (JavaVMOption){.optionString = strdup(line)};
    }
    fclose(file);
    jint (*create)(JavaVM **, void **, void *) = (jint (*)(JavaVM **, void **, void *))dlsym(library, "JNI_CreateJavaVM");
    void *env = NULL;
    jint status = create ? create(&vm, &env, &arguments) : JNI_ERR;
    if (status != JNI_OK) {
        rxe_say("the JVM of %s did not start (JNI error %d): RXE_VERBOSE=1 may say more", path, status);
        return NULL;
    }
    return env;
}

/* As a daemon: a thread of the program never keeps the process alive, and is detached when it ends. */
static JNIEnv *attach(void) {
    void *env = NULL;
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_10, .name = "program"};
    if (forked) {
        rxe_say(FORKED);
        return NULL;
    }
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, &env, &arguments) != JNI_OK) {
        rxe_say("this thread cannot enter the JVM: its stack must have at least 256 KiB");
        return NULL;
    }
    pthread_setspecific(attached, env);
    return env;
}

static void detach(void *env) {
    (void)env;
    if (!forked) {
        (*vm)->DetachCurrentThread(vm);
    }
}

/* Its only thread is the one that forked. */
void rxe_jvm_in_child(void) {
    forked = forked || running || starting;
    pthread_mutex_init(&start_lock, NULL);
    thread_env = NULL;
}

static void on_exit_of_program(void) {
    if (running && !forked) {
        up(UP_SHUTDOWN);
    }
}

static jclass class_of(enum upcall method) {
    return upcalls[(method >= UP_CM_CREATE) + (method >= UP_REREG_MR)];
}

/* Finds the Java half. */
static bool bind_java(JNIEnv *env) {
    for (int i = 0; i < UPCALL_CLASSES; i++) {
        jclass found = (*env)->FindClass(env, CLASSES[i]);
        if (!found) {
            return false;
        }
        upcalls[i] = (*env)->NewGlobalRef(env, found);
    }
    if (!register_downcalls(env) || !rxe_cm_register_downcalls(env)) {
        return false;
    }
    for (int i = 0; i < UPCALLS; i++) {
        methods[i] = (*env)->GetStaticMethodID(env, class_of(i), METHODS[i].name, METHODS[i].signature);
        if (!methods[i]) {
            return false;
        }
    }
    return true;
}

static int start_java(const char *address) {
    JNIEnv *env = create_jvm();
    if (!env) {
        return ENODEV;
    }
    thread_env = env;
    pthread_key_create(&attached, detach);
    if (!bind_java(env)) {
        (*env)->ExceptionDescribe(env);
        rxe_say("the Java half of this library does not fit: run `tools/rxe run` again");
        return ENODEV;
    }
    jvalue argument = {.j = (intptr_t)address};
    int status = up_fast(UP_OPEN, &argument);
    if (status == 0) {
        running = true;
        atexit(on_exit_of_program);
    }
    return status;
}

/*
 * The signals of the program stay its own: the JVM's threads are born with all of them blocked, and the dispositions that the JVM changes
 * without need are put back. Those it needs (SIGSEGV and its kin) it chains.
 */
int rxe_start(const char *address) {
    if (forked) {
        rxe_say(FORKED);
        return EIO;
    }
    pthread_mutex_lock(&start_lock);
    int status = running ? 0 : failed ? ENODEV : -1;
    if (status < 0) {
        static const int KEPT[] = {SIGPIPE, SIGXFSZ};
        struct sigaction before[2];
        sigset_t all, mask;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &mask);
        for (int i = 0; i < 2; i++) {
            sigaction(KEPT[i], NULL, &before[i]);
        }
        starting = true;
        status = start_java(address);
        starting = false;
        for (int i = 0; i < 2; i++) {
            sigaction(KEPT[i], &before[i], NULL);
        }
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
        failed = status != 0;
    }
    pthread_mutex_unlock(&start_lock);
    return status;
}

/* ---- calls ---- */

int up_fast(enum upcall method, const jvalue *arguments) {
    JNIEnv *env = thread_env;
    if (!env) {
        env = thread_env = attach();
        if (!env) {
            return -ENOMEM;
        }
    }
    return (*env)->CallStaticIntMethodA(env, class_of(method), methods[method], arguments);
}

int up(enum upcall method, ...) {
    jvalue values[8];
    va_list arguments;
    if (!running || forked) {
        int status = rxe_start(rxe_claimed_address());
        if (status) {
            return -status;
        }
    }
    va_start(arguments, method);
    int count = 0;
    for (const char *type = METHODS[method].signature + 1; *type != ')'; type++) {
        switch (*type) {
            case 'J':
                values[count++].j = va_arg(arguments, int64_t);
                break;
            case 'Z':
                values[count++].z = va_arg(arguments, int) != 0;
                break;
            default:
                values[count++].i = va_arg(arguments, int);
        }
    }
    va_end(arguments);
    return up_fast(method, values);
}
