/*
 * For the library that is in the jar: glibc 2.34 took what was in libpthread and libdl into libc, under a new version. The versions from
 * before are those that glibc has kept since its first on the processor, so that the library loads with an older one, too.
 */
#if defined(__x86_64__)
#define OLDEST(name) __asm__(".symver " #name ", " #name "@GLIBC_2.2.5");
#define OLDEST_CANCEL(name) __asm__(".symver " #name ", " #name "@GLIBC_2.3.3");
#elif defined(__aarch64__)
#define OLDEST(name) __asm__(".symver " #name ", " #name "@GLIBC_2.17");
#define OLDEST_CANCEL OLDEST
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
/* What pthread_cleanup_push calls. */
OLDEST_CANCEL(__pthread_register_cancel)
OLDEST_CANCEL(__pthread_unregister_cancel)
OLDEST_CANCEL(__pthread_unwind_next)
#endif
