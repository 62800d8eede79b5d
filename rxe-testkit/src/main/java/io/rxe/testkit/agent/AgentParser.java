package io.rxe.testkit.agent;

import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.Operation;
import io.rxe.verbs.QueuePairState;
import io.rxe.verbs.WorkCompletion;
import java.util.List;

/** Translates between words of the agent's lines and values of the verbs. */
final class AgentParser {
    private AgentParser() {
    }

    static int access(List<String> words) {
        int flags = 0;
        for (String word : words) {
            flags |= switch (word) {
                case "local_write" -> AccessFlags.LOCAL_WRITE;
                case "remote_write" -> AccessFlags.REMOTE_WRITE;
                case "remote_read" -> AccessFlags.REMOTE_READ;
                case "remote_atomic" -> AccessFlags.REMOTE_ATOMIC;
                case "mw_bind" -> AccessFlags.MW_BIND;
                case "zero_based" -> AccessFlags.ZERO_BASED;
                case "remote_invalidate" -> AccessFlags.REMOTE_INVALIDATE;
                case "flush_global" -> AccessFlags.FLUSH_GLOBAL;
                case "flush_persistent" -> AccessFlags.FLUSH_PERSISTENT;
                default -> throw new IllegalArgumentException("access '" + word
                    + "': use local_write, remote_write, remote_read, remote_atomic, mw_bind, zero_based,"
                    + " remote_invalidate, flush_global,"
                    + " flush_persistent");
            };
        }
        return flags;
    }

    static QueuePairState state(String word) {
        return "ERR".equals(word) ? QueuePairState.ERROR : QueuePairState.valueOf(word);
    }

    static String word(QueuePairState state) {
        return state == QueuePairState.ERROR ? "ERR" : state.name();
    }

    static Operation operation(String word) {
        return switch (word) {
            case "SEND" -> Operation.SEND;
            case "SEND_IMM" -> Operation.SEND_WITH_IMMEDIATE;
            case "SEND_INV" -> Operation.SEND_WITH_INVALIDATE;
            case "WRITE" -> Operation.RDMA_WRITE;
            case "WRITE_IMM" -> Operation.RDMA_WRITE_WITH_IMMEDIATE;
            case "READ" -> Operation.RDMA_READ;
            case "CMP_SWAP" -> Operation.COMPARE_AND_SWAP;
            case "FETCH_ADD" -> Operation.FETCH_AND_ADD;
            case "LOCAL_INV" -> Operation.LOCAL_INV;
            case "ATOMIC_WRITE" -> Operation.ATOMIC_WRITE;
            case "FLUSH" -> Operation.FLUSH;
            default -> throw new IllegalArgumentException("opcode '" + word
                + "': use SEND, SEND_IMM, SEND_INV, WRITE, WRITE_IMM, READ, CMP_SWAP, FETCH_ADD, ATOMIC_WRITE, FLUSH, LOCAL_INV");
        };
    }

    /** {@code wr_id:status:opcode:byte_len:imm:qpn}; after an error only wr_id, status and qpn are defined. */
    static String word(WorkCompletion completion) {
        boolean failed = !completion.isSuccess();
        return Long.toUnsignedString(completion.workRequestId()) + ':' + completion.status().name() + ':'
            + (failed ? "-" : completed(completion.operation())) + ':' + (failed ? 0 : completion.byteLength()) + ':'
            + (!failed && completion.hasImmediate() ? String.format("0x%08x", completion.immediate()) : "-") + ':'
            + completion.queuePairNumber();
    }

    private static String completed(Operation operation) {
        return switch (operation) {
            case SEND, SEND_WITH_IMMEDIATE, SEND_WITH_INVALIDATE -> "SEND";
            case RDMA_WRITE, RDMA_WRITE_WITH_IMMEDIATE -> "WRITE";
            case RDMA_READ -> "READ";
            case COMPARE_AND_SWAP -> "CMP_SWAP";
            case FETCH_AND_ADD -> "FETCH_ADD";
            case ATOMIC_WRITE -> "ATOMIC_WRITE";
            case FLUSH -> "FLUSH";
            case BIND_MW, LOCAL_INV, REG_MR -> operation.name();
            case RECEIVE -> "RECV";
            case RECEIVE_RDMA_WITH_IMMEDIATE -> "RECV_WRITE_IMM";
        };
    }
}
