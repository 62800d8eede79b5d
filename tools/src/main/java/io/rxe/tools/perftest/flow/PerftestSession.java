package io.rxe.tools.perftest.flow;

import io.rxe.tools.perftest.handshake.KeyRecord;
import io.rxe.tools.perftest.handshake.PerftestHandshake;
import io.rxe.tools.perftest.measure.PerftestEndpoint;
import io.rxe.tools.perftest.output.PerftestPrinter;
import io.rxe.tools.perftest.plan.PerftestPlan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The objects a flow works with.
 *
 * @param plan      as agreed with the peer.
 * @param rows      one for each size, for JSON; grows.
 */
record PerftestSession(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, PerftestPrinter printer,
                       Connector connector, List<Map<String, Object>> rows) {
    /** Connects the queue pairs, or adopts connected ones, once the peer's keys are known. */
    interface Connector {
        /** @throws IOException if the peer cannot be reached. */
        void connect(List<KeyRecord> remote) throws IOException;
    }

    PerftestSession(PerftestPlan plan, PerftestEndpoint endpoint, PerftestHandshake handshake, PerftestPrinter printer,
        Connector connector) {
        this(plan, endpoint, handshake, printer, connector, new ArrayList<>());
    }

    /** Exchanges keys and connects. */
    void connect() throws IOException {
        connector.connect(handshake.keys(endpoint.records()));
    }

    /** Prints our addresses, exchanges keys once more, and prints the peer's. */
    void showAddresses() throws IOException {
        printer.addresses("local", plan, endpoint.records(), handshake.keysAreText());
        printer.addresses("remote", plan, handshake.keys(endpoint.records()), handshake.keysAreText());
    }

    /** Waits until the peer has reached the same step. */
    void synchronize() throws IOException {
        handshake.synchronize(endpoint.record());
    }

    /** As {@link #synchronize}, without a time limit: the peer's test may be running. */
    void synchronizeAfterTest() throws IOException {
        handshake.synchronizeAfterTest(endpoint.record());
    }

    /** Exchanges the closing messages. */
    void close() throws IOException {
        handshake.close(endpoint.record());
    }
}
