#include "rxe.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/*
 * A program in Java has a JVM already, and a process cannot have two: the NICs live in that one. The Java half has a class loader of its
 * own there, so that it disturbs no class of the program.
 */

static jobject loader;
static jmethodID load_class;
/* The program has the Java half itself, on its class path. */
static bool has_classes;

void rxe_use_classes_of_host(void) {
    has_classes = true;
}

JavaVM *rxe_host_jvm(void) {
    jint (*created)(JavaVM **, jsize, jsize *) = (jint (*)(JavaVM **, jsize, jsize *))dlsym(RTLD_DEFAULT, "JNI_GetCreatedJavaVMs");
    JavaVM *vm = NULL;
    jsize count = 0;
    return created && created(&vm, 1, &count) == JNI_OK && count == 1 ? vm : NULL;
}

/* What a method returns, of a class or of an object of it; null with an exception. */
static jobject call(JNIEnv *env, const char *class_name, jobject object, const char *method, const char *signature) {
    jclass class = (*env)->FindClass(env, class_name);
    jmethodID id = !class ? NULL
        : object ? (*env)->GetMethodID(env, class, method, signature) : (*env)->GetStaticMethodID(env, class, method, signature);
    return !id ? NULL : object ? (*env)->CallObjectMethod(env, object, id) : (*env)->CallStaticObjectMethod(env, class, id);
}

static jobject make(JNIEnv *env, const char *class_name, const char *signature, const void *first, const void *second) {
    jclass class = (*env)->FindClass(env, class_name);
    jmethodID id = class ? (*env)->GetMethodID(env, class, "<init>", signature) : NULL;
    return id ? (*env)->NewObject(env, class, id, first, second) : NULL;
}

/* The URL of a jar or a folder; null with an exception. */
static jobject url_of(JNIEnv *env, const char *path) {
    jstring text = (*env)->NewStringUTF(env, path);
    jobject file = text ? make(env, "java/io/File", "(Ljava/lang/String;)V", text, NULL) : NULL;
    jobject uri = file ? call(env, "java/io/File", file, "toURI", "()Ljava/net/URI;") : NULL;
    return uri ? call(env, "java/net/URI", uri, "toURL", "()Ljava/net/URL;") : NULL;
}

static jobjectArray urls_of(JNIEnv *env, char *class_path) {
    jsize count = 0;
    for (const char *at = class_path; *(at += strspn(at, ":")); at += strcspn(at, ":")) {
        count++;
    }
    jclass class = (*env)->FindClass(env, "java/net/URL");
    jobjectArray urls = class ? (*env)->NewObjectArray(env, count, class, NULL) : NULL;
    char *rest, *path = strtok_r(class_path, ":", &rest);
    for (jsize i = 0; urls && path; i++, path = strtok_r(NULL, ":", &rest)) {
        jobject url = url_of(env, path);
        if (!url) {
            return NULL;
        }
        (*env)->SetObjectArrayElement(env, urls, i, url);
        (*env)->DeleteLocalRef(env, url);
    }
    return urls;
}

/* As --add-opens java.base/jdk.internal.misc=ALL-UNNAMED: the module of the loader's classes has no name. False with an exception. */
static bool open_internals(JNIEnv *env) {
    jclass object = (*env)->FindClass(env, "java/lang/Object"), module_class = (*env)->FindClass(env, "java/lang/Module");
    jobject module = object && module_class ? call(env, "java/lang/Class", object, "getModule", "()Ljava/lang/Module;") : NULL;
    jmethodID open = module ? (*env)->GetMethodID(env, module_class, "implAddOpensToAllUnnamed", "(Ljava/lang/String;)V") : NULL;
    jstring package = open ? (*env)->NewStringUTF(env, "jdk.internal.misc") : NULL;
    if (package) {
        (*env)->CallVoidMethod(env, module, open, package);
    }
    return package && !(*env)->ExceptionCheck(env);
}

bool rxe_make_loader(JNIEnv *env, const char *class_path) {
    if (has_classes) {
        return true;
    }
    char *paths = strdup(class_path);
    jobjectArray urls = paths && open_internals(env) ? urls_of(env, paths) : NULL;
    free(paths);
    jobject parent = urls ? call(env, "java/lang/ClassLoader", NULL, "getPlatformClassLoader", "()Ljava/lang/ClassLoader;") : NULL;
    jobject made = parent ? make(env, "java/net/URLClassLoader", "([Ljava/net/URL;Ljava/lang/ClassLoader;)V", urls, parent) : NULL;
    jclass class = made ? (*env)->FindClass(env, "java/lang/ClassLoader") : NULL;
    load_class = class ? (*env)->GetMethodID(env, class, "loadClass", "(Ljava/lang/String;)Ljava/lang/Class;") : NULL;
    loader = load_class ? (*env)->NewGlobalRef(env, made) : NULL;
    return loader != NULL;
}

bool rxe_run_last(JNIEnv *env, jobject task) {
    enum { LAST_PLACE = 9 };
    jclass class = (*env)->FindClass(env, "java/lang/Shutdown");
    jmethodID add = class ? (*env)->GetStaticMethodID(env, class, "add", "(IZLjava/lang/Runnable;)V") : NULL;
    if (add) {
        (*env)->CallStaticVoidMethod(env, class, add, LAST_PLACE, JNI_TRUE, task);
    }
    bool is_added = add && !(*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    return is_added;
}

jclass rxe_find_class(JNIEnv *env, const char *name) {
    if (!loader) {
        return (*env)->FindClass(env, name);
    }
    char dotted[64];
    size_t length = strlen(name);
    for (size_t i = 0; i <= length && i < sizeof dotted; i++) {
        dotted[i] = name[i] == '/' ? '.' : name[i];
    }
    dotted[sizeof dotted - 1] = 0;
    jstring text = (*env)->NewStringUTF(env, dotted);
    return text ? (*env)->CallObjectMethod(env, loader, load_class, text) : NULL;
}
