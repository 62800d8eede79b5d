#include "address.h"
#include "rxe.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * The JVM starts with the first verb that needs the NIC, never before: a program may open a device, look at it and fork. A child of a
 * process in which the JVM ran cannot use it.
 */

static const struct {
    const char *class, *name, *signature;
} METHODS[UPCALLS] = {
#define UPCALL(name, class, method, signature) {"io/rxe/ibverbs/" #class, #method, signature},
#include "upcalls.def"
#undef UPCALL
};

#define CLASS_PATH "-Djava.class.path="
#define FORKED "a child of the process that uses the device cannot use it: open the device after the fork"

/* ADDRESS_SPACE_MIB: a start takes 700, with the heap of NativeLibrary; the compilers of the JVM take more at times. */
enum { MAX_OPTIONS = 64, MAX_LINE = 65536, HOOKS = 3, ADDRESS_SPACE_MIB = 900, MIB = 1 << 20 };

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static JavaVM *vm;
static struct {
    jclass class;
    jmethodID method;
} bound[UPCALLS];
static jclass no_memory, no_stack;
static atomic_bool starting, running, forked;
/* Whether the JVM is the program's: it closes the NICs, and its descriptors are the program's. */
static bool is_hosted;
/* An errno, once a start has failed. */
static int failure;
static pthread_key_t attached;
/* Of this thread; this library is preloaded, so that the fastest model of thread-local storage is possible. */
static __thread JNIEnv *thread_env __attribute__((tls_model("initial-exec")));

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

/*
 * What a start of the JVM comes to. The JVM ends the process where it cannot start: a thread that tells so instead of ending sleeps for
 * ever, with the locks of the JVM that nobody asks again.
 */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t over;
    bool is_over;
    int status;
    /* What the JVM has printed meanwhile. */
    char said[1024];
} launch = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

static void end_launch(int status) {
    pthread_mutex_lock(&launch.lock);
    if (!launch.is_over) {
        launch.is_over = true;
        launch.status = status;
    }
    pthread_cond_signal(&launch.over);
    pthread_mutex_unlock(&launch.lock);
}

/* In one line, for a sentence. */
static const char *what_jvm_said(void) {
    for (char *at = launch.said; *at; at++) {
        *at = *at == '\n' ? (at[1] ? ' ' : 0) : *at;
    }
    return *launch.said ? launch.said : "it said nothing";
}

static void JNICALL on_jvm_abort(void) {
    if (starting) {
        rxe_say("the JVM did not start: %s", what_jvm_said());
        end_launch(ENOMEM);
        while (true) {
            pause();
        }
    }
}

static void JNICALL on_jvm_exit(jint status) {
    (void)status;
    on_jvm_abort();
}

/* The JVM would print to standard output, which is the program's. */
static jint JNICALL on_jvm_print(FILE *file, const char *format, va_list arguments) {
    (void)file;
    if (!starting) {
        return vfprintf(stderr, format, arguments);
    }
    pthread_mutex_lock(&launch.lock);
    size_t length = strlen(launch.said);
    int printed = vsnprintf(launch.said + length, sizeof launch.said - length, format, arguments);
    pthread_mutex_unlock(&launch.lock);
    return printed;
}

/*
 * Whether the JVM has room: it ends the process when it has none later. The C library would take 64 MiB for each thread that allocates. 0,
 * or an errno after a sentence.
 */
static int check_address_space(void) {
    struct rlimit most;
    unsigned long pages = 0;
    if (getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY) {
        return 0;
    }
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%lu", &pages) != 1) {
        pages = 0;
    }
    if (file) {
        fclose(file);
    }
    unsigned long taken = pages * (unsigned long)sysconf(_SC_PAGESIZE) / MIB, limit = most.rlim_cur / MIB;
    if (limit >= taken + ADDRESS_SPACE_MIB) {
        return 0;
    }
    rxe_say("the process takes %lu of %lu MiB of address space, and the JVM needs %d more: raise the limit (ulimit -v %lu)", taken, limit,
        ADDRESS_SPACE_MIB, (taken + ADDRESS_SPACE_MIB) * 1024);
    return ENOMEM;
}

/* It lives until the process ends. An errno. */
static int add_option(JavaVMInitArgs *arguments, const char *option) {
    if (arguments->nOptions == MAX_OPTIONS) {
        rxe_say("more than %d options for Java: shorten RXE_JAVA_OPTIONS", MAX_OPTIONS - HOOKS);
        return E2BIG;
    }
    char *copy = strdup(option);
    arguments->options[arguments->nOptions++] = (JavaVMOption){.optionString = copy};
    return copy ? 0 : ENOMEM;
}

/* Those of RXE_JAVA_OPTIONS, with blanks between them. An errno. */
static int add_named_options(JavaVMInitArgs *arguments) {
    const char *named = getenv("RXE_JAVA_OPTIONS");
    char *words = strdup(named ? named : ""), *rest;
    int status = words ? 0 : ENOMEM;
    for (char *word = status ? NULL : strtok_r(words, " ", &rest); word && !status; word = strtok_r(NULL, " ", &rest)) {
        status = add_option(arguments, word);
    }
    free(words);
    return status;
}

/* Reads the path of the JVM's library into a line, and the options behind it. An errno. */
static int read_options(char *path, size_t size, char *libjvm, JavaVMInitArgs *arguments) {
    static char line[MAX_LINE];
    FILE *file = open_options(path, size);
    if (!file || !read_line(file, libjvm)) {
        int error = errno;
        rxe_say("cannot read %s: %s: start the program with `tools/rxe run`, or set what `tools/rxe env` prints", path,
            file ? "it is empty" : strerror(error));
        if (file) {
            fclose(file);
        }
        return ENODEV;
    }
    int status = 0;
    while (!status && read_line(file, line)) {
        status = add_option(arguments, line);
    }
    fclose(file);
    return status ? status : add_named_options(arguments);
}

/* Creates the JVM as the file says. An errno. */
static int create_jvm(JNIEnv **env, const char *path, const char *libjvm, JavaVMInitArgs *arguments) {
    void *library = dlopen(libjvm, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        rxe_say("cannot load the JVM that %s names: %s: install a JDK, or run `tools/rxe run` again", path, dlerror());
        return ENODEV;
    }
    int status = rxe_watch_descriptors(libjvm, rxe_nic_count());
    if (status || (status = check_address_space())) {
        return status;
    }
    jint (*create)(JavaVM **, void **, void *) = (jint (*)(JavaVM **, void **, void *))dlsym(library, "JNI_CreateJavaVM");
    jint error = create ? create(&vm, (void **)env, arguments) : JNI_ERR;
    if (error != JNI_OK) {
        rxe_say("the JVM of %s did not start (JNI error %d): %s", path, error, what_jvm_said());
    }
    return error == JNI_OK ? 0 : error == JNI_ENOMEM ? ENOMEM : ENODEV;
}

/* As a daemon: a thread of the program never keeps the process alive, and is detached when it ends. */
static JNIEnv *attach(void) {
    void *env = NULL;
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_10, .name = "program"};
    if (forked) {
        rxe_say(FORKED);
        return NULL;
    }
    if ((*vm)->GetEnv(vm, &env, JNI_VERSION_10) == JNI_OK) {
        /* A thread of Java, which the JVM detaches. */
        return env;
    }
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, &env, &arguments) != JNI_OK) {
        rxe_say("this thread cannot enter the JVM: no memory");
        return NULL;
    }
    pthread_setspecific(attached, env);
    return env;
}

/* A destructor of the program's that runs behind this one may call verbs, which attach the thread again and bring this one back. */
static void detach(void *env) {
    (void)env;
    thread_env = NULL;
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

static jclass global_class(JNIEnv *env, const char *name) {
    jclass found = rxe_find_class(env, name);
    return found ? (*env)->NewGlobalRef(env, found) : NULL;
}

/* Finds the Java half. */
static bool bind_java(JNIEnv *env) {
    no_memory = global_class(env, "java/lang/OutOfMemoryError");
    no_stack = global_class(env, "java/lang/StackOverflowError");
    for (int i = 0; i < UPCALLS; i++) {
        jclass class = bound[i].class = global_class(env, METHODS[i].class);
        bound[i].method = class ? (*env)->GetStaticMethodID(env, class, METHODS[i].name, METHODS[i].signature) : NULL;
        if (!bound[i].method) {
            return false;
        }
    }
    return no_memory && no_stack && rxe_register_downcalls(env);
}

/* ---- calls ---- */

struct call {
    enum upcall method;
    const jvalue *arguments;
};

/* The methods throw nothing. What comes nevertheless is the JVM's: no stack or no memory to begin with. A negative errno. */
static int fail(JNIEnv *env, enum upcall method) {
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    bool memory = (*env)->IsInstanceOf(env, thrown, no_memory), stack = (*env)->IsInstanceOf(env, thrown, no_stack);
    (*env)->DeleteLocalRef(env, thrown);
    rxe_say("the JVM could not do %s: %s", METHODS[method].name, memory ? "it has no memory" : stack
        ? "this thread has no stack left: give it more" : "an exception; please report it");
    return memory || stack ? -ENOMEM : -EIO;
}

static int call_java(void *given) {
    const struct call *call = given;
    JNIEnv *env = thread_env;
    if (!env) {
        env = thread_env = attach();
        if (!env) {
            return forked ? -EIO : -ENOMEM;
        }
    }
    /* A program in Java may have an exception on its way, as when a callback of its RDMA library has thrown one. */
    jthrowable theirs = is_hosted ? (*env)->ExceptionOccurred(env) : NULL;
    if (theirs) {
        (*env)->ExceptionClear(env);
    }
    int status = (*env)->CallStaticIntMethodA(env, bound[call->method].class, bound[call->method].method, call->arguments);
    if ((*env)->ExceptionCheck(env)) {
        status = fail(env, call->method);
    }
    if (theirs) {
        (*env)->Throw(env, theirs);
        (*env)->DeleteLocalRef(env, theirs);
    }
    return status;
}

int up_fast(enum upcall method, const jvalue *arguments) {
    UNINTERRUPTED;
    struct call call = {method, arguments};
    return rxe_on_own_stack() || rxe_find_stack() ? call_java(&call) : rxe_forward(call_java, &call);
}

/* ---- the NICs ---- */

static void close_nics(void) {
    int status = up_fast(UP_SHUTDOWN, NULL);
    if (status > 0) {
        /* A script of faults has failed: that is what the process tells, whatever the program would. */
        fflush(NULL);
        _exit(status);
    }
}

/*
 * Threads of a program may exit at once; rping's do, when a connection fails. Before 2.41 the C library lets the second run the handlers
 * that are left, while the first closes the NICs: it ends the process too early, and frees the list that the first reads next. So one of
 * ours waits for each further thread, and that thread for the end of the process.
 */
static void on_exit_of_program(void) {
    static _Atomic(void *) first;
    void *none = NULL, *self = &thread_env;
    if (!running || forked) {
        return;
    }
    if (atomic_compare_exchange_strong(&first, &none, self)) {
        close_nics();
    } else if (none != self) {
        atexit(on_exit_of_program);
        while (true) {
            pause();
        }
    }
}

/* Enters the JVM that the program has. An errno. */
static int enter_host(JNIEnv **env, const JavaVMInitArgs *arguments) {
    const char *class_path = "";
    for (int i = HOOKS; i < arguments->nOptions; i++) {
        const char *option = arguments->options[i].optionString;
        class_path = strncmp(option, CLASS_PATH, strlen(CLASS_PATH)) == 0 ? option + strlen(CLASS_PATH) : class_path;
    }
    *env = attach();
    if (*env && !rxe_make_loader(*env, class_path)) {
        (**env)->ExceptionDescribe(*env);
        rxe_say("the JVM of this program has no room for the NIC: its Java must be 17 or newer");
        return ENODEV;
    }
    return *env ? 0 : ENOMEM;
}

/* Creates the JVM, or enters that of the program. An errno. */
static int begin_java(JNIEnv **env) {
    char path[PATH_MAX] = "jvm.options";
    static char libjvm[MAX_LINE];
    JavaVMOption options[MAX_OPTIONS] = {
        {"abort", (void *)on_jvm_abort}, {"exit", (void *)on_jvm_exit}, {"vfprintf", (void *)on_jvm_print}};
    JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .options = options, .nOptions = HOOKS};
    int status = read_options(path, sizeof path, libjvm, &arguments);
    return status ? status : vm ? enter_host(env, &arguments) : create_jvm(env, path, libjvm, &arguments);
}

static int start_java(void) {
    JNIEnv *env = NULL;
    pthread_key_create(&attached, detach);
    vm = rxe_host_jvm();
    is_hosted = vm != NULL;
    int status = begin_java(&env);
    if (status) {
        return status;
    }
    thread_env = env;
    pthread_setspecific(attached, env);
    if (!bind_java(env)) {
        (*env)->ExceptionDescribe(env);
        rxe_say("the Java half of this library does not fit: run `tools/rxe run` again");
        return ENODEV;
    }
    for (unsigned nic = 0; !status && nic < rxe_nic_count(); nic++) {
        jvalue arguments[] = {{.i = (jint)nic}, {.j = (intptr_t)rxe_address_of(nic)}};
        status = abs(call_java(&(struct call){UP_OPEN, arguments}));
    }
    return status;
}

static void *run_launch(void *unused) {
    UNINTERRUPTED;
    end_launch(start_java());
    return unused;
}

/* On a thread of its own, which has the room, and may be lost. */
static int await_launch(void) {
    int status = rxe_start_thread(run_launch, NULL);
    if (status) {
        rxe_say("the JVM needs a thread: %s", strerror(status));
        return status;
    }
    pthread_mutex_lock(&launch.lock);
    while (!launch.is_over) {
        pthread_cond_wait(&launch.over, &launch.lock);
    }
    pthread_mutex_unlock(&launch.lock);
    return launch.status;
}

/*
 * The signals of the program stay its own: the dispositions that the JVM changes without need are put back. Those it needs (SIGSEGV and
 * its kin) it chains.
 */
static int start(void) {
    static const int KEPT[] = {SIGPIPE, SIGXFSZ};
    struct sigaction before[2];
    for (int i = 0; i < 2; i++) {
        sigaction(KEPT[i], NULL, &before[i]);
    }
    starting = true;
    int status = await_launch();
    starting = false;
    for (int i = 0; i < 2; i++) {
        sigaction(KEPT[i], &before[i], NULL);
    }
    running = status == 0;
    failure = status;
    if (running && !is_hosted) {
        rxe_keep_descriptors();
        atexit(on_exit_of_program);
        atexit(on_exit_of_program);
    }
    return status;
}

int rxe_start(void) {
    /* Before the lock, as a fork waits for that of the addresses. */
    rxe_fix_addresses();
    HOLD(&start_lock);
    if (forked) {
        rxe_say(FORKED);
        return EIO;
    }
    return running ? 0 : failure ? failure : start();
}

int up(enum upcall method, ...) {
    jvalue values[8];
    va_list arguments;
    if (!running || forked) {
        int status = rxe_start();
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
    /* A thread that Java starts meanwhile has the mask of this one. */
    sigset_t mask;
    rxe_block_signals(&mask);
    int status = up_fast(method, values);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return status;
}

int up_if_running(enum upcall method, unsigned nic, const void *pointer) {
    jvalue arguments[] = {{.i = (jint)nic}, {.j = ADDRESS(pointer)}};
    return running && !forked ? up_fast(method, arguments) : 0;
}
