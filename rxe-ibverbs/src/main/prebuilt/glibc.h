/*
 * For the library that is in the jar: glibc 2.34 took what was in libpthread and libdl into libc, under a new version. The versions from
 * before are those that glibc has kept since its first on the processor, so that the library loads with an older one, too.
 */
#if defined(__x86_64__)
#define OLDEST(name) __asm__(".symver " #name ", " #name "@GLIBC_2.2.5");
#elif defined(__aarch64__)
#define OLDEST(name) __asm__(".symver " #name ", " #name "@GLIBC_2.17");
#endif

#if defined(OLDEST)
OLDEST(dladdr)
OLDEST(dlerror)
OLDEST(dlsym)
OLDEST(pthread_attr_getstack)
OLDEST(pthread_attr_setstacksize)
OLDEST(pthread_create)
OLDEST(pthread_getattr_np)
OLDEST(pthread_key_create)
OLDEST(pthread_setspecific)
OLDEST(pthread_sigmask)
#endif
