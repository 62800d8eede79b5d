package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEvent.Type;
import io.rxe.cm.mad.CmAttribute;
import io.rxe.cm.mad.CmRep;
import io.rxe.cm.mad.CommunicationIds;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * Hundreds of seeds; in each, six connections between two nodes over a network that loses, duplicates and reorders messages, while an
 * attacker begins requests of its own and forges messages of the connections, of which it knows all but the transaction ID. Every
 * connection ends established on both sides, or failed with an event on both; events arrive in an order rdma_cm allows; no exchange
 * remains. In every other seed the client has a connection already, so that the server retransmits its REPs as often as rdma_cm. To an
 * unknown peer it retransmits four times. When each RTU is lost, and then the REJ, the client takes the connection for established until
 * its queue pair gets no answer: there the test fails the queue pair, as the retry counter would.
 */
class RandomFaultTest {
    private static final int SEEDS = 400;
    private static final int CONNECTIONS = 6;
    private static final int ATTACKS = 40;
    private static final int FIRST_FORGED_ID = 0x1000;
    private static final CmAttribute[] FORGED =
        {CmAttribute.REP, CmAttribute.RTU, CmAttribute.MRA, CmAttribute.REJ, CmAttribute.DREP, CmAttribute.SIDR_REP};
    private static final Set<Type> ENDS = EnumSet.of(Type.REJECTED, Type.UNREACHABLE, Type.DISCONNECTED, Type.CONNECT_ERROR);

    @Test
    void everyConnectionIsEstablishedOnBothSidesOrFailsOnBoth() {
        int established = 0;
        int halfOpen = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Scenario scenario = new Scenario(seed);
            established += scenario.run();
            halfOpen += scenario.halfOpen;
        }
        assertTrue(halfOpen > 0, "no seed lost every RTU");
        assertTrue(halfOpen < SEEDS * CONNECTIONS / 10, "too many connections were half open: " + halfOpen);
        assertTrue(established > SEEDS * CONNECTIONS / 4, "too few connections were established to prove anything: " + established);
    }

    /** One seed. */
    private static final class Scenario {
        private final Random random;
        private final CmPair pair = new CmPair();
        private final Map<CmConnection, List<Type>> seen = new HashMap<>();
        private final Map<Integer, CmConnection> clients = new HashMap<>();
        private final Map<Integer, List<CmConnection>> servers = new HashMap<>();
        private final String name;
        private final boolean isKnown;
        private int attacks;
        private int halfOpen;

        Scenario(long seed) {
            random = new Random(seed);
            name = "seed " + seed;
            isKnown = seed % 2 == 0;
        }

        private int run() {
            double loss = random.nextDouble() * 0.5;
            if (isKnown) {
                pair.connect().requested().accept().established();
            }
            double duplication = random.nextDouble() * 0.3;
            long maxDelayMs = random.nextInt(5) == 0 ? 8000 : 1 + random.nextInt(50);
            pair.network.faults = mad -> {
                if (random.nextDouble() < loss) {
                    return new long[0];
                }
                long delay = (1 + random.nextInt((int) maxDelayMs)) * CmNetwork.MS;
                return random.nextDouble() < duplication
                    ? new long[] {delay, delay + random.nextInt((int) maxDelayMs) * CmNetwork.MS} : new long[] {delay};
            };
            for (int i = 0; i < CONNECTIONS; i++) {
                FakeQueuePair queuePair = pair.client.queuePair();
                CmConnection connection = pair.client.service.connector(pair.client.channel).connect(queuePair, pair.server.gid,
                    random.nextInt(8) == 0 ? 1 : CmPair.PORT, new ConnectParameters());
                clients.put(queuePair.number(), connection);
                seen.put(connection, new ArrayList<>());
            }
            runNetwork();
            for (Map.Entry<Integer, CmConnection> entry : clients.entrySet()) {
                if (isUp(entry.getValue()) && isRefused(servers.get(entry.getKey()))) {
                    halfOpen++;
                    ((FakeQueuePair) entry.getValue().queuePair()).fail("the peer does not answer");
                }
            }
            runNetwork();
            return check();
        }

        private boolean isUp(CmConnection client) {
            return seen.get(client).equals(List.of(Type.ESTABLISHED));
        }

        /** Whether the server gave up because no RTU came. */
        private boolean isRefused(List<CmConnection> ofServer) {
            return ofServer.stream().anyMatch(connection -> seen.get(connection).contains(Type.UNREACHABLE))
                && ofServer.stream().noneMatch(connection -> seen.get(connection).contains(Type.ESTABLISHED));
        }

        private void runNetwork() {
            while (pair.network.step()) {
                pair.client.takeAll().forEach(this::onEvent);
                pair.server.takeAll().forEach(this::onEvent);
                if (attacks < ATTACKS && random.nextInt(3) == 0) {
                    attack(attacks++);
                }
            }
        }

        private void attack(int index) {
            int id = FIRST_FORGED_ID + random.nextInt(1 + index);
            switch (random.nextInt(4)) {
                case 0 -> inject(Forged.source(1), pair.server.gid, Forged.req(Forged.source(1), pair.server.gid, id));
                case 1 -> inject(Forged.source(1), pair.server.gid, Forged.cancel(id));
                default -> forge(pair.network.sent.get(random.nextInt(pair.network.sent.size())));
            }
        }

        /** A message with the sender, the receiver and the communication IDs of another. */
        private void forge(CmNetwork.Sent honest) {
            UnsafeBuffer mad = Forged.message(FORGED[random.nextInt(FORGED.length)], random.nextLong(),
                CommunicationIds.LOCAL.get(honest.buffer(), 0), CommunicationIds.REMOTE.get(honest.buffer(), 0));
            CmRep.LOCAL_QPN.set(mad, 0, 0x99);
            inject(honest.source(), honest.destination(), mad);
        }

        private void inject(Gid source, Gid destination, UnsafeBuffer mad) {
            pair.network.inject(source, destination, mad.byteArray());
        }

        private void onEvent(CmEvent event) {
            CmConnection connection = event.connection();
            List<Type> types = seen.computeIfAbsent(connection, key -> new ArrayList<>());
            types.add(event.type());
            if (event.type() == Type.CONNECT_REQUEST) {
                servers.computeIfAbsent(connection.terms().remoteQpn(), key -> new ArrayList<>()).add(connection);
                if (random.nextInt(6) == 0) {
                    connection.reject(new byte[0]);
                    types.add(Type.REJECTED);
                } else {
                    connection.accept(pair.server.queuePair(), new ConnectParameters());
                }
            } else if (event.type() == Type.ESTABLISHED && random.nextInt(3) == 0) {
                connection.disconnect();
            } else if (ENDS.contains(event.type())) {
                boolean bySelf = event.type() == Type.UNREACHABLE || event.type() == Type.CONNECT_ERROR;
                assertTrue(!bySelf || !event.explanation().isEmpty(), name + ": an error needs an explanation");
            }
        }

        private int check() {
            int established = 0;
            for (Map.Entry<Integer, CmConnection> entry : clients.entrySet()) {
                List<Type> client = seen.get(entry.getValue());
                checkOrder(client);
                boolean clientUp = isUp(entry.getValue());
                int serversUp = 0;
                for (CmConnection connection : servers.getOrDefault(entry.getKey(), List.of())) {
                    List<Type> server = seen.get(connection);
                    checkOrder(server.subList(1, server.size()));
                    if (server.equals(List.of(Type.CONNECT_REQUEST, Type.ESTABLISHED))) {
                        serversUp++;
                    }
                }
                assertEquals(clientUp ? 1 : 0, serversUp, name + ": one side up, the other " + client);
                established += client.contains(Type.ESTABLISHED) ? 1 : 0;
            }
            int up = (isKnown ? 1 : 0)
                + (int) clients.values().stream().filter(this::isUp).count();
            assertEquals(up, pair.client.core.exchanges(), name);
            assertEquals(up, pair.server.core.exchanges(), name);
            assertTrue(pair.network.sent(CmAttribute.REQ).size() >= CONNECTIONS);
            return established;
        }

        /** ESTABLISHED at most once and first, one end at most, TIMEWAIT_EXIT only after DISCONNECTED. */
        private void checkOrder(List<Type> types) {
            assertTrue(types.isEmpty() || types.get(0) == Type.ESTABLISHED || ENDS.contains(types.get(0)), name + ": " + types);
            assertEquals(1, types.stream().filter(ENDS::contains).count() + (types.equals(List.of(Type.ESTABLISHED)) ? 1 : 0),
                name + ": " + types);
            assertTrue(types.stream().distinct().count() == types.size(), name + ": " + types);
            int wait = types.indexOf(Type.TIMEWAIT_EXIT);
            assertTrue(wait < 0 || types.get(wait - 1) == Type.DISCONNECTED, name + ": " + types);
        }
    }
}
