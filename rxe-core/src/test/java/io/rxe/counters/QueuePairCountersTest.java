package io.rxe.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.port.CounterSpace;
import io.rxe.wire.DropReason;
import io.rxe.wire.Gid;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class QueuePairCountersTest {
    private static final int RECORD_AT = 4096;
    private static final int RECORDS = 2;
    private static final CounterSpace.Owner OWNER = new CounterSpace.Owner(Gid.parse("10.0.0.1"), 4791, 2);

    /** A space with two records and room for all cells. */
    private static final class FewRecords implements CounterSpace {
        private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 16]);
        private int cells;
        private int opened;
        private int closed;

        @Override
        public AtomicBuffer buffer() {
            return buffer;
        }

        @Override
        public int allocate(Owner owner, int typeId, int id, String label) {
            return cells++ * Long.BYTES;
        }

        @Override
        public int openRecord(Owner owner) {
            return opened < RECORDS ? RECORD_AT + opened++ * CounterLayout.RECORD_LENGTH : NONE;
        }

        @Override
        public void closeRecord(int offset) {
            closed++;
        }
    }

    private final FewRecords space = new FewRecords();
    private final EngineCounters engine = new EngineCounters(space, OWNER);
    private final EngineEvents events = new EngineEvents();

    private QueuePairCounters open(int number) {
        return QueuePairCounters.open(engine, events, space, OWNER, number, 1);
    }

    private long cell(int record, String name) {
        int cell = List.of(CounterLayout.names().split(",")).indexOf(name);
        return space.buffer.getLong(RECORD_AT + record * CounterLayout.RECORD_LENGTH + CounterLayout.CELLS_OFFSET + cell * Long.BYTES);
    }

    @Test
    void countsOfAQueuePairAlsoGoToItsEngine() {
        QueuePairCounters first = open(0x11);
        QueuePairCounters second = open(0x12);
        QueuePairCounters unseen = open(0x13);
        first.count(NicCounter.SENT_PKTS, 5);
        second.count(NicCounter.SENT_PKTS, 7);
        unseen.count(NicCounter.SENT_PKTS, 100);
        second.drop(DropReason.PSN_GAP);
        first.mark(NicCounter.REORDER_HIGH_WATER, 9);
        second.mark(NicCounter.REORDER_HIGH_WATER, 4);
        assertEquals(0, cell(0, "sent_pkts"), "not before it is published");
        first.publish();
        second.publish();
        assertEquals(5, cell(0, "sent_pkts"));
        assertEquals(7, cell(1, "sent_pkts"));
        assertEquals(112, engine.get(NicCounter.SENT_PKTS));
        assertEquals(0, cell(0, "dropped_pkts"));
        assertEquals(1, cell(1, "dropped_pkts"));
        assertEquals(1, engine.get(DropReason.PSN_GAP));
        assertEquals(4, cell(1, "reorder_high_water"));
        assertEquals(9, engine.get(NicCounter.REORDER_HIGH_WATER));
    }

    @Test
    void aQueuePairWithoutARecordCountsForItsEngineOnly() {
        QueuePairCounters counters = QueuePairCounters.open(engine, events, null, OWNER, 0x11, 0);
        counters.show(QueuePairCell.NEXT_PSN, 7);
        counters.peer(OWNER.device(), 5);
        counters.mark(QueuePairCell.SEND_QUEUE_HIGH_WATER, 3);
        counters.drop(DropReason.PSN_GAP);
        counters.close();
        assertFalse(counters.isShown());
        assertEquals(1, Drops.of(engine));
    }

    @Test
    void theRecordIdentifiesTheQueuePairAndHasItsValues() {
        QueuePairCounters counters = open(0x123456);
        counters.peer(Gid.parse("10.0.0.2"), 0x654321);
        counters.show(QueuePairCell.NEXT_PSN, 77);
        counters.publish();
        assertEquals(CounterLayout.STATUS_OPEN, space.buffer.getInt(RECORD_AT + CounterLayout.STATUS_OFFSET));
        assertEquals(0x123456, space.buffer.getInt(RECORD_AT + CounterLayout.NUMBER_OFFSET));
        assertEquals(0x654321, space.buffer.getInt(RECORD_AT + CounterLayout.PEER_NUMBER_OFFSET));
        assertEquals(4791, space.buffer.getInt(RECORD_AT + CounterLayout.UDP_PORT_OFFSET));
        assertEquals(2, space.buffer.getInt(RECORD_AT + CounterLayout.ENGINE_OFFSET));
        List<String> names = List.of(CounterLayout.names().split(","));
        assertEquals(77, cell(0, "next_psn"));
        assertEquals(names.size(), QueuePairCounters.CELLS);
    }

    @Test
    void aClosedRecordKeepsItsLastValues() {
        QueuePairCounters counters = open(0x11);
        counters.count(NicCounter.RCVD_PKTS, 3);
        counters.close();
        counters.close();
        counters.count(NicCounter.RCVD_PKTS);
        assertEquals(CounterLayout.STATUS_CLOSED, space.buffer.getInt(RECORD_AT + CounterLayout.STATUS_OFFSET));
        assertEquals(3, cell(0, "rcvd_pkts"));
        assertEquals(4, engine.get(NicCounter.RCVD_PKTS));
        assertEquals(1, space.closed, "released once");
    }

    @Test
    void anEngineThatLeavesItsSpaceKeepsItsValues() {
        engine.count(NicCounter.SENT_PKTS, 6);
        engine.detach();
        engine.count(NicCounter.SENT_PKTS);
        assertEquals(7, engine.get(NicCounter.SENT_PKTS));
        assertEquals(6, space.buffer.getLong(NicCounter.SENT_PKTS.ordinal() * Long.BYTES), "the space must not be written any more");
    }

    @Test
    void theObserverIsNotifiedOfADropAndItsReason() {
        List<String> reported = new ArrayList<>();
        events.observer((event, nowNs, qpn, psn, value) -> reported.add(event + " " + qpn + " " + value));
        open(0x11).drop(DropReason.RNR_HOLD);
        assertEquals(List.of("DROP 17 " + DropReason.RNR_HOLD.id()), reported);
    }

    @Test
    void lengthsThatOverflowAreDamage() {
        UnsafeBuffer file = new UnsafeBuffer(new byte[1 << 16]);
        file.putLong(CounterLayout.MAGIC_OFFSET, CounterLayout.MAGIC);
        file.putInt(CounterLayout.VERSION_OFFSET, CounterLayout.VERSION);
        file.putInt(CounterLayout.METADATA_LENGTH_OFFSET, 1 << 30);
        file.putInt(CounterLayout.VALUES_LENGTH_OFFSET, 1 << 30);
        file.putInt(CounterLayout.RECORD_LENGTH_OFFSET, CounterLayout.RECORD_LENGTH);
        file.putInt(CounterLayout.RECORDS_OFFSET, 1);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> new CountersView(file));
        assertTrue(refused.getMessage().contains("damaged"), refused.getMessage());
    }
}
