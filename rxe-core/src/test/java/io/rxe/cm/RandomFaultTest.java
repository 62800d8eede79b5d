package io.rxe.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.cm.CmEvent.Type;
import io.rxe.cm.mad.CmAttribute;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Hundreds of seeds; in each a handful of connections and resolutions between two nodes over a network that loses, doubles and
 * reorders. Whatever happens, every connection ends established on both sides or failed with an event on both, every event comes in an
 * order rdma_cm allows, and nothing stays behind.
 */
class RandomFaultTest {
    private static final int SEEDS = 400;
    private static final int CONNECTIONS = 6;
    private static final Set<Type> ENDS = EnumSet.of(Type.REJECTED, Type.UNREACHABLE, Type.DISCONNECTED, Type.CONNECT_ERROR);

    @Test
    void everyConnectionIsEstablishedOnBothSidesOrFailsOnBoth() {
        int established = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            established += new Scenario(seed).run();
        }
        assertTrue(established > SEEDS * CONNECTIONS / 4, "too few connections came about to prove anything: " + established);
    }

    /** One seed. */
    private static final class Scenario {
        private final Random random;
        private final CmPair pair = new CmPair();
        private final Map<CmConnection, List<Type>> seen = new HashMap<>();
        private final Map<Integer, CmConnection> clients = new HashMap<>();
        private final Map<Integer, List<CmConnection>> servers = new HashMap<>();
        private final String name;

        Scenario(long seed) {
            random = new Random(seed);
            name = "seed " + seed;
        }

        private int run() {
            double loss = random.nextDouble() * 0.5;
            double twice = random.nextDouble() * 0.3;
            long maxDelayMs = random.nextInt(5) == 0 ? 8000 : 1 + random.nextInt(50);
            pair.network.faults = mad -> {
                if (random.nextDouble() < loss) {
                    return new long[0];
                }
                long delay = (1 + random.nextInt((int) maxDelayMs)) * CmNetwork.MS;
                return random.nextDouble() < twice
                    ? new long[] {delay, delay + random.nextInt((int) maxDelayMs) * CmNetwork.MS} : new long[] {delay};
            };
            for (int i = 0; i < CONNECTIONS; i++) {
                FakeQueuePair queuePair = pair.client.queuePair();
                CmConnection connection = pair.client.service.connector(pair.client.channel).connect(queuePair, pair.server.gid,
                    random.nextInt(8) == 0 ? 1 : CmPair.PORT, new ConnectParameters());
                clients.put(queuePair.number(), connection);
                seen.put(connection, new ArrayList<>());
            }
            while (pair.network.step()) {
                pair.client.takeAll().forEach(this::onEvent);
                pair.server.takeAll().forEach(this::onEvent);
            }
            return judge();
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
                assertTrue(!bySelf || !event.explanation().isEmpty(), name + ": an error has an explanation");
            }
        }

        private int judge() {
            int established = 0;
            for (Map.Entry<Integer, CmConnection> entry : clients.entrySet()) {
                List<Type> client = seen.get(entry.getValue());
                checkOrder(client);
                boolean clientUp = client.equals(List.of(Type.ESTABLISHED));
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
            int up = (int) clients.values().stream().filter(connection -> seen.get(connection).equals(List.of(Type.ESTABLISHED))).count();
            assertEquals(up, pair.client.core.dialogues(), name);
            assertEquals(up, pair.server.core.dialogues(), name);
            assertTrue(pair.network.sent(CmAttribute.REQ).size() >= CONNECTIONS);
            return established;
        }

        /** Up or not, at most one end, and a time-wait only after a DISCONNECTED. */
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
