package io.rxe.fault;

/** Error numbers of Linux that the man pages of libibverbs and librdmacm name, and those their calls pass on from the kernel. */
public enum VerbError {
    EPERM(1, "Operation not permitted"),
    ENOENT(2, "No such file or directory"),
    EINTR(4, "Interrupted system call"),
    EIO(5, "Input/output error"),
    ENXIO(6, "No such device or address"),
    EAGAIN(11, "Resource temporarily unavailable"),
    ENOMEM(12, "Cannot allocate memory"),
    EACCES(13, "Permission denied"),
    EFAULT(14, "Bad address"),
    EBUSY(16, "Device or resource busy"),
    ENODEV(19, "No such device"),
    EINVAL(22, "Invalid argument"),
    EMFILE(24, "Too many open files"),
    ENOSPC(28, "No space left on device"),
    ERANGE(34, "Numerical result out of range"),
    ENOSYS(38, "Function not implemented"),
    ENODATA(61, "No data available"),
    EPROTO(71, "Protocol error"),
    EPROTONOSUPPORT(93, "Protocol not supported"),
    EOPNOTSUPP(95, "Operation not supported"),
    /** The same number, by the name that some pages have. */
    ENOTSUP(95, "Operation not supported"),
    EAFNOSUPPORT(97, "Address family not supported by protocol"),
    EADDRINUSE(98, "Address already in use"),
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    ENETUNREACH(101, "Network is unreachable"),
    ECONNABORTED(103, "Software caused connection abort"),
    EISCONN(106, "Transport endpoint is already connected"),
    ENOTCONN(107, "Transport endpoint is not connected"),
    ETIMEDOUT(110, "Connection timed out"),
    ECONNREFUSED(111, "Connection refused"),
    EHOSTUNREACH(113, "No route to host"),
    EALREADY(114, "Operation already in progress");

    private final int number;
    private final String text;

    VerbError(int number, String text) {
        this.number = number;
        this.text = text;
    }

    /** The number in {@code errno}. */
    public int number() {
        return number;
    }

    /** What {@code strerror} says. */
    public String text() {
        return text;
    }
}
