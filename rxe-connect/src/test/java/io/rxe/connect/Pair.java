package io.rxe.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.rxe.counters.NicCounter;
import io.rxe.net.FreePorts;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Two NICs on loopback addresses, a server and a client. */
final class Pair implements AutoCloseable {
    static final String SERVER = "127.0.0.2";
    static final String CLIENT = "127.0.0.1";
    static final int PORT = 7471;

    final RxeNic serverNic;
    final RxeNic clientNic;
    final int udpPort;
    final CompletableFuture<RxeConnection> accepted = new CompletableFuture<>();
    RxeServer server;
    RxeClient client;

    /** @param fault of the client's NIC, for example "loss 1%", or an empty string. */
    Pair(String fault, int engines) throws IOException {
        udpPort = FreePorts.udp(SERVER, CLIENT);
        serverNic = RxeNic.open(RxeNicOptions.defaults(SERVER).withUdpPort(udpPort).withEngines(engines).withSeed(1L));
        RxeNicOptions options = RxeNicOptions.defaults(CLIENT).withUdpPort(udpPort).withEngines(engines).withSeed(2L);
        clientNic = RxeNic.open(fault.isEmpty() ? options : options.withFault(FaultSpec.parse(fault).layer(3)));
    }

    Pair() throws IOException {
        this("", 1);
    }

    RxeConnection connect(ConnectOptions serverOptions, Consumer<RxeConnection> serverSetUp, ConnectOptions clientOptions,
                          Consumer<RxeConnection> clientSetUp) throws Exception {
        listen(serverOptions, serverSetUp);
        client = new RxeClient(clientNic);
        return get(client.connect(SERVER, PORT, clientOptions, clientSetUp).connected());
    }

    void listen(ConnectOptions serverOptions, Consumer<RxeConnection> serverSetUp) {
        server = RxeServer.listen(serverNic, PORT, serverOptions, connection -> {
            serverSetUp.accept(connection);
            accepted.complete(connection);
        });
    }

    static <T> T get(CompletableFuture<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(60, TimeUnit.SECONDS);
    }

    /** The server's engine hangs in a callback, until the result is completed: for whoever sends, as dead as a process that was killed. */
    CompletableFuture<Void> hangServer() throws Exception {
        CompletableFuture<Void> hang = new CompletableFuture<>();
        CompletableFuture<Void> hanging = new CompletableFuture<>();
        new Thread(() -> serverNic.core().engine(0).thread().call(() -> {
            hanging.complete(null);
            hang.join();
        })).start();
        get(hanging);
        return hang;
    }

    /** No sender had to wait for a receive (no RNR NAK). */
    void expectNoRnr() {
        for (RxeNic nic : new RxeNic[] {serverNic, clientNic}) {
            for (int engine = 0; engine < nic.engines(); engine++) {
                assertEquals(0, nic.core().engine(engine).counters().get(NicCounter.SEND_RNR_ERR), "RNR NAKs of " + nic);
            }
        }
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
        clientNic.close();
        serverNic.close();
    }
}
