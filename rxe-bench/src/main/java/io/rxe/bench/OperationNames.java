package io.rxe.bench;

import io.rxe.verbs.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Names of operations on the command line and in tables. */
public final class OperationNames {
    /** The operations of a loopback run, in the order they are run. */
    public static final List<Operation> ALL = List.of(Operation.SEND, Operation.SEND_WITH_IMMEDIATE, Operation.RDMA_WRITE,
        Operation.RDMA_WRITE_WITH_IMMEDIATE, Operation.RDMA_READ, Operation.COMPARE_AND_SWAP, Operation.FETCH_AND_ADD);
    /** The names {@link #parse} accepts, for messages. */
    public static final String CHOICES = "send, send_imm, write, write_imm, read, cas, fadd or all";

    private static final Map<String, Operation> BY_NAME = Map.of("send", Operation.SEND, "send_imm", Operation.SEND_WITH_IMMEDIATE,
        "write", Operation.RDMA_WRITE, "write_imm", Operation.RDMA_WRITE_WITH_IMMEDIATE, "read", Operation.RDMA_READ,
        "cas", Operation.COMPARE_AND_SWAP, "fadd", Operation.FETCH_AND_ADD);

    private OperationNames() {
    }

    /**
     * Reads a list of names.
     *
     * @param names names; {@code all} stands for every operation.
     * @return each operation once, in the order of {@link #ALL}.
     * @throws IllegalArgumentException for an unknown name.
     */
    public static List<Operation> parse(List<String> names) {
        List<Operation> chosen = new ArrayList<>();
        for (String name : names) {
            String key = name.trim().toLowerCase(Locale.ROOT).replace('-', '_');
            if ("all".equals(key)) {
                return ALL;
            }
            Operation operation = BY_NAME.get(key);
            if (operation == null) {
                throw new IllegalArgumentException("operation '" + name + "' does not exist: use " + CHOICES);
            }
            chosen.add(operation);
        }
        return ALL.stream().filter(chosen::contains).toList();
    }

    /** Name in a table. */
    public static String label(Operation operation) {
        return switch (operation) {
            case SEND_WITH_IMMEDIATE -> "SEND with imm";
            case RDMA_WRITE -> "WRITE";
            case RDMA_WRITE_WITH_IMMEDIATE -> "WRITE with imm";
            case RDMA_READ -> "READ";
            case COMPARE_AND_SWAP -> "CMP_SWAP";
            case FETCH_AND_ADD -> "FETCH_ADD";
            default -> operation.name();
        };
    }
}
