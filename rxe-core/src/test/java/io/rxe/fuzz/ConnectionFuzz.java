package io.rxe.fuzz;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmConnection;
import io.rxe.cm.CmEvent;
import io.rxe.cm.ConnectParameters;
import io.rxe.cm.Connector;
import io.rxe.cm.PortSpace;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.cm.mad.GoldenMad;
import io.rxe.cm.mad.MadHeader;
import io.rxe.device.ManagementAgent;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.QueuePairType;
import io.rxe.wire.Bth;
import io.rxe.wire.Deth;
import io.rxe.wire.Icrc;
import io.rxe.wire.Opcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * MADs for connection management on queue pair 1, from a peer and a third party, with listeners, connections of our own and an application
 * that decides.
 *
 * <pre>
 *   0..3  how, MAD (256)   how: 0x01 with the local ID of our newest connection as its remote ID, 0x02 of our oldest, 0x04 from a third
 *                          party, 0x10 poll to rest behind it
 *   4     n                the application connects, accepts, rejects, disconnects or closes
 *   5     n                time passes, as in {@link DatagramFuzz}
 *   6                      the application takes its events
 *   7                      poll to rest
 * </pre>
 */
final class ConnectionFuzz implements FuzzTarget {
    private static final int ACTION = 4;
    private static final int EVENTS = 6;
    private static final int NEWEST_ID = 0x01;
    private static final int OLDEST_ID = 0x02;
    private static final int FROM_THIRD_PARTY = 0x04;
    private static final int THEN_REST = 0x10;
    private static final int GSI_QUEUE_KEY = 0x8001_0000;
    private static final int MAX_STEPS = 100;
    private static final int MAX_CONNECTIONS = 16;

    @Override
    public void run(byte[] bytes) {
        new Application().run(new FuzzInput(bytes));
    }

    /** Handshakes of kernel peers with us as the server, with us as the client, and every message alone. */
    @Override
    public List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        FuzzInput.Writer server = new FuzzInput.Writer();
        FuzzInput.Writer client = new FuzzInput.Writer().add(ACTION).add(0).add(DatagramFuzz.REST);
        for (GoldenMad mad : GoldenMad.all()) {
            boolean isOurs = mad.source().equals(OpenNic.OWN);
            byte[] message = mad.buffer().byteArray();
            (isOurs ? client : server).add(0).add(NEWEST_ID | THEN_REST).addBytes(message).add(EVENTS).add(ACTION).add(1);
            seeds.add(new FuzzInput.Writer().add(0).add(THEN_REST).addBytes(message).add(EVENTS).add(ACTION).add(2).toBytes());
        }
        seeds.add(server.toBytes());
        seeds.add(client.toBytes());
        return seeds;
    }

    /** A program with a listener of each kind that keeps up to 16 connections. */
    private static final class Application {
        private final OpenNic nic = new OpenNic();
        private final List<CmConnection> connections = new ArrayList<>();
        private final List<CmConnection> requests = new ArrayList<>();
        private final List<QueuePair> queuePairs = new ArrayList<>();

        Application() {
            nic.service.listen(nic.events, PortSpace.TCP, OpenNic.CM_PORT, 4);
            nic.service.listen(nic.events, PortSpace.UDP, OpenNic.CM_PORT, 4);
        }

        void run(FuzzInput input) {
            for (int step = 0; input.hasMore() && step < MAX_STEPS; step++) {
                int operation = input.next() & 7;
                switch (operation) {
                    case ACTION -> act(input.next());
                    case DatagramFuzz.TIME -> DatagramFuzz.pass(nic, input.next());
                    case EVENTS -> takeEvents();
                    case DatagramFuzz.REST -> nic.rest();
                    default -> receive(input.next(), input.take(ManagementAgent.MAD_LENGTH));
                }
                assertTrue(nic.service.core().exchanges() <= step + 1 + connections.size(), "more exchanges than messages");
            }
            nic.rest();
            takeEvents();
            nic.close();
        }

        private void receive(int how, byte[] message) {
            Opcode opcode = Opcode.UD_SEND_ONLY;
            UnsafeBuffer packet = new UnsafeBuffer(new byte[opcode.headerLength() + ManagementAgent.MAD_LENGTH + Icrc.LENGTH]);
            Bth.write(packet, 0, opcode, false, 0, 1, false, 0);
            Deth.write(packet, opcode.dethOffset(), GSI_QUEUE_KEY, 1);
            int mad = opcode.headerLength();
            packet.putBytes(mad, Arrays.copyOf(message, ManagementAgent.MAD_LENGTH));
            packet.putByte(mad, (byte) MadHeader.ONLY_BASE_VERSION);
            packet.putByte(mad + 1, (byte) MadHeader.CM_CLASS);
            packet.putByte(mad + 2, (byte) MadHeader.CM_CLASS_VERSION);
            packet.putByte(mad + 3, (byte) MadHeader.METHOD_SEND);
            if ((how & (NEWEST_ID | OLDEST_ID)) != 0 && !connections.isEmpty()) {
                CmConnection known = connections.get((how & NEWEST_ID) != 0 ? connections.size() - 1 : 0);
                CommunicationIds.write(packet, mad, CommunicationIds.LOCAL.get(packet, mad), known.localCommunicationId());
            }
            boolean isThirdParty = (how & FROM_THIRD_PARTY) != 0;
            if (isThirdParty) {
                nic.expectTrafficTo(OpenNic.THIRD_PARTY);
            }
            nic.receive(packet.byteArray(), isThirdParty ? OpenNic.THIRD_PARTY : OpenNic.PEER, true);
            if ((how & THEN_REST) != 0) {
                nic.rest();
            }
        }

        private void takeEvents() {
            for (CmEvent event = nic.events.poll(); event != null; event = nic.events.poll()) {
                if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
                    requests.add(event.connection());
                    connections.add(event.connection());
                } else if (event.type() == CmEvent.Type.ESTABLISHED && event.connection().queuePair() != null) {
                    send(event.connection().queuePair());
                }
            }
        }

        /** A program that sends first: its packets may go to nobody but the peer. */
        private void send(QueuePair pair) {
            if (pair.type() != QueuePairType.UD && pair.state() == QueuePairState.RTS) {
                nic.postWrite(pair);
            }
        }

        private void act(int action) {
            switch (action & 7) {
                case 0 -> connect((action & 8) != 0);
                case 1 -> accept();
                case 2 -> reject();
                case 3 -> connections.forEach(connection -> tolerate(connection::notifyEstablished));
                case 4 -> connections.forEach(connection -> tolerate(connection::disconnect));
                case 5 -> closeOldest();
                case 6 -> queuePairs.forEach(this::send);
                default -> takeEvents();
            }
        }

        private void connect(boolean isDatagram) {
            if (connections.size() < MAX_CONNECTIONS) {
                Connector connector = nic.service.connector(nic.events);
                connections.add(isDatagram ? connector.resolve(OpenNic.PEER, OpenNic.CM_PORT, new ConnectParameters())
                    : connector.connect(queuePair(QueuePairType.RC), OpenNic.PEER, OpenNic.CM_PORT, new ConnectParameters()));
            }
        }

        private QueuePair queuePair(QueuePairType type) {
            QueuePair pair = nic.queuePair(type);
            queuePairs.add(pair);
            return pair;
        }

        private void accept() {
            if (!requests.isEmpty() && queuePairs.size() < MAX_CONNECTIONS) {
                CmConnection request = requests.remove(0);
                tolerate(() -> request.accept(queuePair(request.type()), new ConnectParameters()));
            }
        }

        private void reject() {
            if (!requests.isEmpty()) {
                CmConnection request = requests.remove(0);
                tolerate(() -> request.reject(new byte[0]));
            }
        }

        /** A call that the state of the connection does not allow is refused with a sentence. */
        private static void tolerate(Runnable call) {
            try {
                call.run();
            } catch (IllegalStateException e) {
                assertTrue(e.getMessage() != null, "an exception without a sentence");
            }
        }

        private void closeOldest() {
            if (!connections.isEmpty()) {
                CmConnection oldest = connections.remove(0);
                requests.remove(oldest);
                oldest.close();
            }
        }
    }
}
