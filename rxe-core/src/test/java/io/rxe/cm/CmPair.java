package io.rxe.cm;

import io.rxe.cm.exchange.ActiveSide;
import io.rxe.cm.exchange.PassiveSide;
import io.rxe.cm.mad.CmAttribute;

/** A client and a server that listens on TCP port 7174. */
final class CmPair {
    static final int PORT = 7174;

    final CmNetwork network = new CmNetwork();
    final CmNode client;
    final CmNode server;
    final Listener listener;
    FakeQueuePair clientPair;
    FakeQueuePair serverPair;
    CmConnection clientConnection;
    CmConnection serverConnection;

    CmPair() {
        this("10.0.0.1", "10.0.0.2");
    }

    CmPair(String clientAddress, String serverAddress) {
        client = network.add(clientAddress);
        server = network.add(serverAddress);
        listener = server.service.listen(server.channel, PortSpace.TCP, PORT);
    }

    /** The client sends a REQ. */
    CmPair connect(ConnectParameters parameters) {
        clientPair = client.queuePair();
        clientConnection = client.service.connector(client.channel).connect(clientPair, server.gid, PORT, parameters);
        return this;
    }

    CmPair connect() {
        return connect(new ConnectParameters());
    }

    /** The server takes the request. */
    CmPair requested() {
        network.run(CmNetwork.LATENCY_NS);
        serverConnection = server.take(CmEvent.Type.CONNECT_REQUEST).connection();
        return this;
    }

    CmPair accept(ConnectParameters parameters) {
        serverPair = server.queuePair();
        serverConnection.accept(serverPair, parameters);
        return this;
    }

    CmPair accept() {
        return accept(new ConnectParameters());
    }

    /** Both sides take ESTABLISHED. */
    CmPair established() {
        network.run(CmNetwork.LATENCY_NS);
        client.take(CmEvent.Type.ESTABLISHED);
        network.run(CmNetwork.LATENCY_NS);
        server.take(CmEvent.Type.ESTABLISHED);
        return this;
    }

    static CmPair connected() {
        return new CmPair().connect().requested().accept().established();
    }

    ActiveSide active() {
        return (ActiveSide) clientConnection.exchange();
    }

    PassiveSide passive() {
        return (PassiveSide) serverConnection.exchange();
    }

    /** Loses every message of one kind from now on. */
    void lose(CmAttribute attribute) {
        network.faults = mad -> mad.attribute() == attribute ? new long[0] : new long[] {CmNetwork.LATENCY_NS};
    }

    void loseNothing() {
        network.faults = mad -> new long[] {CmNetwork.LATENCY_NS};
    }

    void loseAll() {
        network.faults = mad -> new long[0];
    }
}
