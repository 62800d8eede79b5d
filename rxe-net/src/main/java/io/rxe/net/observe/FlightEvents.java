package io.rxe.net.observe;

import io.rxe.cm.mad.CmAttribute;
import io.rxe.port.EngineEvent;
import io.rxe.port.EngineObserver;
import io.rxe.port.PathFigures;
import io.rxe.verbs.PartitionKeys;
import io.rxe.verbs.QueuePairState;
import io.rxe.wire.Syndrome;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * Commits an engine's events to Java Flight Recorder, under the names {@code io.rxe.*}, so that Java Mission Control shows them beside
 * garbage collections and CPU load. Costs next to nothing while no recording runs.
 */
final class FlightEvents implements EngineObserver {
    private static final QueuePairState[] STATES = QueuePairState.values();
    private static final int BYTE = 0xFF;
    private static final int LOW_16_BITS = 0xFFFF;

    private final String device;
    private final int engine;

    FlightEvents(String device, int engine) {
        this.device = device;
        this.engine = engine;
    }

    @Override
    public void onEvent(EngineEvent event, long nowNs, int qpn, int psn, long value) {
        // The first event that is made sets up all of the recorder, which takes longer than the rest of a NIC.
        if (FlightRecorder.isInitialized()) {
            trace(event, qpn, psn, value);
        }
    }

    @Override
    public void onPath(int qpn, PathFigures figures) {
        if (FlightRecorder.isInitialized()) {
            Path trace = new Path();
            trace.window = figures.windowBytes();
            trace.rate = figures.bitsPerSecond();
            trace.roundTripNs = figures.roundTripNs();
            trace.shortestRoundTripNs = figures.shortestRoundTripNs();
            trace.marked = figures.marked();
            trace.cnpsSent = figures.notificationsSent();
            trace.cnpsObeyed = figures.notificationsObeyed();
            commit(trace, qpn, 0);
        }
    }

    private void trace(EngineEvent event, int qpn, int psn, long value) {
        switch (event) {
            case RETRANSMISSION -> {
                Retransmission trace = new Retransmission();
                trace.packets = value;
                commit(trace, qpn, psn);
            }
            case NAK_SENT, NAK_RECEIVED -> {
                Nak trace = event == EngineEvent.NAK_SENT ? new NakSent() : new NakReceived();
                trace.syndrome = trace.isEnabled() ? Syndrome.describe((int) value) : null;
                commit(trace, qpn, psn);
            }
            case RNR_WAIT -> {
                ReceiverWait trace = new ReceiverWait();
                trace.waitNs = value;
                commit(trace, qpn, psn);
            }
            case STATE_CHANGE, FAILURE -> stateChange(event, qpn, psn, value);
            case STALL -> {
                Stall trace = new Stall();
                trace.lengthNs = value;
                commit(trace, qpn, psn);
            }
            case TIMEOUT, LOSS_PROBE, IMPLIED_NAK -> {
                Retry trace = new Retry();
                trace.cause = event.label();
                trace.outstanding = value;
                commit(trace, qpn, psn);
            }
            case MANAGEMENT_SENT, MANAGEMENT_RECEIVED -> {
                ManagementMessage trace = new ManagementMessage();
                trace.sent = event == EngineEvent.MANAGEMENT_SENT;
                trace.message = message((int) value);
                commit(trace, qpn, psn);
            }
            case PATH_MIGRATION -> {
                PathMigrated trace = new PathMigrated();
                trace.port = (int) value;
                commit(trace, qpn, psn);
            }
            case BAD_PARTITION_KEY -> {
                BadPartitionKey trace = new BadPartitionKey();
                trace.partitionKey = trace.isEnabled() ? PartitionKeys.text((int) (value >> Short.SIZE)) : null;
                trace.wanted = trace.isEnabled() ? PartitionKeys.text((int) value & LOW_16_BITS) : null;
                commit(trace, qpn, psn);
            }
            case DROP -> {
                Drop trace = new Drop();
                trace.reason = NicObserver.reason(value).label();
                commit(trace, qpn, psn);
            }
        }
    }

    private static String message(int attributeId) {
        CmAttribute attribute = CmAttribute.of(attributeId);
        return attribute == null ? "0x" + Integer.toHexString(attributeId) : attribute.name();
    }

    private void stateChange(EngineEvent event, int qpn, int psn, long value) {
        if (event == EngineEvent.STATE_CHANGE) {
            StateChange trace = new StateChange();
            trace.from = STATES[(int) value >> Byte.SIZE].name();
            trace.to = STATES[(int) value & BYTE].name();
            commit(trace, qpn, psn);
        } else {
            commit(new Failure(), qpn, psn);
        }
    }

    private void commit(Trace trace, int qpn, int psn) {
        if (trace.shouldCommit()) {
            trace.device = device;
            trace.engine = engine;
            trace.queuePair = qpn;
            trace.psn = psn;
            trace.commit();
        }
    }

    /** The fields that all events have. */
    @Category("rxe")
    @StackTrace(false)
    abstract static class Trace extends Event {
        @Label("Device")
        @Description("address and UDP port")
        String device;
        @Label("Engine")
        int engine;
        @Label("Queue pair")
        int queuePair;
        @Label("PSN")
        int psn;
    }

    @Name("io.rxe.Retransmission")
    @Label("Retransmission")
    @Description("A request packet was retransmitted")
    static final class Retransmission extends Trace {
        @Label("Packets")
        @Description("packets that a READ request asks for again; else 1")
        long packets;
    }

    /** Sent or received. */
    abstract static class Nak extends Trace {
        @Label("Syndrome")
        String syndrome;
    }

    @Name("io.rxe.NakSent")
    @Label("NAK sent")
    static final class NakSent extends Nak {
    }

    @Name("io.rxe.NakReceived")
    @Label("NAK received")
    static final class NakReceived extends Nak {
    }

    @Name("io.rxe.ReceiverWait")
    @Label("RNR wait")
    @Description("The peer had no receive request: this side pauses for as long as the RNR NAK asks")
    static final class ReceiverWait extends Trace {
        @Label("Wait")
        @Timespan(Timespan.NANOSECONDS)
        long waitNs;
    }

    @Name("io.rxe.StateChange")
    @Label("Queue pair state change")
    static final class StateChange extends Trace {
        @Label("From")
        String from;
        @Label("To")
        String to;
    }

    @Name("io.rxe.Failure")
    @Label("Queue pair failure")
    @Description("A queue pair went to the error state by itself")
    static final class Failure extends Trace {
    }

    @Name("io.rxe.Stall")
    @Label("Stall")
    @Description("Requests make progress again after retries")
    static final class Stall extends Trace {
        @Label("Length")
        @Description("since the first retry")
        @Timespan(Timespan.NANOSECONDS)
        long lengthNs;
    }

    @Name("io.rxe.Retry")
    @Label("Retry")
    @Description("A retransmission that no NAK asked for")
    static final class Retry extends Trace {
        @Label("Cause")
        String cause;
        @Label("Packets outstanding")
        long outstanding;
    }

    @Name("io.rxe.ManagementMessage")
    @Label("CM message")
    static final class ManagementMessage extends Trace {
        @Label("Sent")
        @Description("otherwise received")
        boolean sent;
        @Label("Message")
        @Description("REQ to SIDR_REP; the attribute ID of an unknown message")
        String message;
    }

    @Name("io.rxe.PathMigration")
    @Label("Path migration")
    @Description("A queue pair migrated to its alternate path")
    static final class PathMigrated extends Trace {
        @Label("Port")
        @Description("that packets leave from now")
        int port;
    }

    @Name("io.rxe.Path")
    @Label("Path of a queue pair")
    @Description("What a queue pair that works knows of the path to its peer, at most ten times a second; counts are since its creation")
    static final class Path extends Trace {
        @Label("Send window")
        @Description("payload that may be in flight")
        @DataAmount
        long window;
        @Label("Rate")
        @Description("payload that may leave in a second, of all queue pairs to this peer; 0 = not paced")
        @DataAmount(DataAmount.BITS)
        long rate;
        @Label("Round trip")
        @Description("smoothed; 0 = not measured")
        @Timespan(Timespan.NANOSECONDS)
        long roundTripNs;
        @Label("Shortest round trip")
        @Timespan(Timespan.NANOSECONDS)
        long shortestRoundTripNs;
        @Label("Packets marked")
        @Description("packets received that a router had marked (ECN CE)")
        long marked;
        @Label("CNPs sent")
        long cnpsSent;
        @Label("CNPs obeyed")
        long cnpsObeyed;
    }

    @Name("io.rxe.BadPartitionKey")
    @Label("Bad P_Key")
    @Description("A packet was dropped because its P_Key does not match")
    static final class BadPartitionKey extends Trace {
        @Label("P_Key")
        @Description("of the packet")
        String partitionKey;
        @Label("Wanted")
        @Description("the P_Key of the queue pair; 0x0000 for queue pair 1, which has all P_Keys of the table")
        String wanted;
    }

    @Name("io.rxe.Drop")
    @Label("Packet dropped")
    static final class Drop extends Trace {
        @Label("Reason")
        String reason;
    }
}
