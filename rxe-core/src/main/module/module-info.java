/**
 * The NIC without I/O. Applications use {@code io.rxe.verbs} and {@code io.rxe.cm}; the other exported packages hold types that these
 * name, and change more often.
 */
module io.rxe.core {
    requires transitive org.agrona;
    requires org.jctools.core;

    exports io.rxe.verbs;
    exports io.rxe.cm;

    // Named by the packages above or by RxeNic.
    exports io.rxe.device;
    exports io.rxe.fault;
    exports io.rxe.port;
    exports io.rxe.wire;

    // For our own modules only.
    exports io.rxe.capture to io.rxe.net;
    exports io.rxe.cm.mad to io.rxe.net;
    exports io.rxe.counters to io.rxe.net;
    exports io.rxe.ring to io.rxe.net;
    exports io.rxe.time to io.rxe.net;
}
