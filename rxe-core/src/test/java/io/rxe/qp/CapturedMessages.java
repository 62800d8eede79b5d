package io.rxe.qp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.golden.GoldenFrame;
import io.rxe.verbs.WorkRequest;
import io.rxe.wire.AtomicEth;
import io.rxe.wire.Ieth;
import io.rxe.wire.ImmDt;
import io.rxe.wire.Opcode;
import io.rxe.wire.Psn;
import io.rxe.wire.Reth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The work requests behind the request packets of a capture: each message once, by its first PSN. */
final class CapturedMessages {
    private record Message(int psn, WorkRequest request) {
    }

    private final List<Message> messages = new ArrayList<>();
    private int posted;

    /**
     * @param requests packets of one direction, retransmissions included.
     * @param startPsn PSN of the first message.
     */
    CapturedMessages(List<GoldenFrame> requests, int startPsn) {
        Map<Integer, GoldenFrame> byPsn = new HashMap<>();
        requests.forEach(frame -> byPsn.putIfAbsent(frame.psn(), frame));
        int psn = startPsn;
        for (GoldenFrame first = byPsn.get(psn); first != null && first.opcode().isStart(); first = byPsn.get(psn)) {
            int length = 0;
            int next = psn;
            GoldenFrame last = first;
            for (GoldenFrame frame = first; frame != null; frame = byPsn.get(next)) {
                length += frame.payloadLength();
                last = frame;
                next = Psn.next(next);
                if (frame.opcode().isEnd()) {
                    break;
                }
            }
            if (!last.opcode().isEnd()) {
                break;
            }
            if (first.opcode().isReadRequest()) {
                length = (int) Reth.dmaLength(first.buffer(), first.offset() + first.opcode().rethOffset());
                next = Psn.add(psn, Math.max(1, (length + 1023) / 1024));
            }
            messages.add(new Message(psn, request(first, last, length)));
            psn = next;
        }
    }

    int count() {
        return messages.size();
    }

    int posted() {
        return posted;
    }

    /** Posts every message up to the one a captured packet belongs to. */
    void postUpTo(GoldenFrame frame, ReplayRig rig) {
        while (posted < messages.size() && Psn.subtract(messages.get(posted).psn(), frame.psn()) <= 0) {
            assertTrue(rig.pair.postSend(messages.get(posted).request().id(++posted)), "the send queue is full");
        }
        rig.run();
    }

    private static WorkRequest request(GoldenFrame first, GoldenFrame last, int length) {
        Opcode opcode = first.opcode();
        int local = opcode.isAtomic() ? 8 : length;
        WorkRequest request = opcode.isAtomic() ? atomic(first, new WorkRequest()) : operation(first, last, new WorkRequest());
        return local > 0 ? request.add(ReplayRig.LOCAL_BASE, local, ReplayRig.LOCAL_KEY) : request;
    }

    private static WorkRequest operation(GoldenFrame first, GoldenFrame last, WorkRequest request) {
        Opcode opcode = first.opcode();
        int immediate = last.opcode().hasImmDt() ? ImmDt.immediateData(last.buffer(), last.offset() + last.opcode().immDtOffset()) : 0;
        if (opcode.isSend()) {
            return last.opcode().hasIeth() ? request.sendWithInvalidate(Ieth.rKey(last.buffer(),
                last.offset() + last.opcode().iethOffset()))
                : last.opcode().hasImmDt() ? request.sendWithImmediate(immediate) : request.send();
        }
        long address = Reth.virtualAddress(first.buffer(), first.offset() + opcode.rethOffset());
        int key = Reth.rKey(first.buffer(), first.offset() + opcode.rethOffset());
        return opcode.isReadRequest() ? request.read(address, key)
            : last.opcode().hasImmDt() ? request.writeWithImmediate(address, key, immediate) : request.write(address, key);
    }

    private static WorkRequest atomic(GoldenFrame frame, WorkRequest request) {
        int at = frame.offset() + frame.opcode().atomicEthOffset();
        long address = AtomicEth.virtualAddress(frame.buffer(), at);
        int key = AtomicEth.rKey(frame.buffer(), at);
        long operand = AtomicEth.swapOrAdd(frame.buffer(), at);
        return frame.opcode() == Opcode.RC_FETCH_ADD ? request.fetchAndAdd(address, key, operand)
            : request.compareAndSwap(address, key, AtomicEth.compare(frame.buffer(), at), operand);
    }
}
