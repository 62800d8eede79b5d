package io.rxe.bench.perftest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a flow works with.
 *
 * @param plan      as agreed with the peer.
 * @param rows      one for each size, for JSON; grows.
 */
record PerftestSession(PerftestPlan plan, TestEndpoint endpoint, PerftestHandshake handshake, PerftestPrinter printer, Connector connector,
                       List<Map<String, Object>> rows) {
    /** How the queue pairs get connected once the keys are known. */
    interface Connector {
        /** @throws IOException when the peer cannot be reached. */
        void connect(List<KeyRecord> remote) throws IOException;
    }

    PerftestSession(PerftestPlan plan, TestEndpoint endpoint, PerftestHandshake handshake, PerftestPrinter printer, Connector connector) {
        this(plan, endpoint, handshake, printer, connector, new ArrayList<>());
    }

    /** Trades keys and connects. */
    void connect() throws IOException {
        connector.connect(handshake.keys(endpoint.records()));
    }

    /** Prints our addresses, trades keys once more, prints the peer's. */
    void showAddresses() throws IOException {
        printer.addresses("local", plan, endpoint.records(), handshake.keysAreText());
        printer.addresses("remote", plan, handshake.keys(endpoint.records()), handshake.keysAreText());
    }

    /** Waits until the other side is here too. */
    void meet() throws IOException {
        handshake.meet(endpoint.record());
    }

    /** As {@link #meet}, however long the other side's test takes. */
    void meetAfterTest() throws IOException {
        handshake.meetAfterTest(endpoint.record());
    }

    /** Says goodbye. */
    void close() throws IOException {
        handshake.close(endpoint.record());
    }
}
