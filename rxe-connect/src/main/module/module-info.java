/** Connections with messages and remote memory: applications use {@code io.rxe.connect.RxeServer} and {@code RxeClient} on a NIC. */
module io.rxe.connect {
    requires transitive io.rxe.net;

    exports io.rxe.connect;
}
