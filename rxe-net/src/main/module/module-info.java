/**
 * NICs on UDP sockets. Applications open {@code io.rxe.net.RxeNic}; {@code io.rxe.net.fault} injects faults.
 */
module io.rxe.net {
    requires transitive io.rxe.core;
    requires org.agrona;
    requires org.jctools.core;
    requires jdk.jfr;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.transport;
    requires io.netty.transport.unix.common;
    requires io.netty.transport.classes.epoll;
    // They hold the library of one processor each; Netty takes the one that fits.
    requires io.netty.transport.epoll.linux.x86_64;
    requires io.netty.transport.epoll.linux.aarch_64;

    exports io.rxe.net;
    exports io.rxe.net.fault;
    exports io.rxe.net.port;
    // For rxe-disni, which may lie on the class path.
    exports io.rxe.net.process;
}
