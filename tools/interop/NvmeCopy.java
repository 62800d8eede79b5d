import com.ibm.jnvmf.Controller;
import com.ibm.jnvmf.IoQueuePair;
import com.ibm.jnvmf.KeyedNativeBuffer;
import com.ibm.jnvmf.Namespace;
import com.ibm.jnvmf.NvmIoCommand;
import com.ibm.jnvmf.NvmIoCommandCapsule;
import com.ibm.jnvmf.NvmReadCommand;
import com.ibm.jnvmf.NvmResponseCapsule;
import com.ibm.jnvmf.NvmWriteCommand;
import com.ibm.jnvmf.Nvme;
import com.ibm.jnvmf.NvmeQualifiedName;
import com.ibm.jnvmf.NvmfTransportId;
import com.ibm.jnvmf.ResponseFuture;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Future;

/**
 * A host of jNVMf: writes a namespace full of known bytes, reads it back and compares every byte. Prints the SHA-256 of what it wrote, and
 * how fast; progress goes to standard error.
 *
 * <p>{@code java NvmeCopy.java ADDRESS PORT NQN MIB BLOCK_BYTES SEED}, with jNVMf and DiSNI on the class path.
 */
public final class NvmeCopy {
    private static final int QUEUE = 16;
    private static final int PROGRESS_LINES = 128;

    private final IoQueuePair queue;
    private final Namespace namespace;
    private final int blockBytes;
    private final int sectors;
    private final Queue<Slot> free = new ArrayDeque<>();

    private NvmeCopy(IoQueuePair queue, Namespace namespace, int blockBytes) throws Exception {
        this.queue = queue;
        this.namespace = namespace;
        this.blockBytes = blockBytes;
        this.sectors = blockBytes / namespace.getIdentifyNamespaceData().getFormattedLbaSize().getLbaDataSize().toInt();
    }

    /** One command in flight, and its memory. */
    private static final class Slot {
        private final NvmIoCommand<? extends NvmIoCommandCapsule> command;
        private final ByteBuffer memory;
        private Future<?> sent;
        private ResponseFuture<NvmResponseCapsule> answered;
        private long block;

        Slot(NvmIoCommand<? extends NvmIoCommandCapsule> command, Namespace namespace, ByteBuffer memory, KeyedNativeBuffer region) {
            this.command = command;
            this.memory = memory;
            command.getCommandCapsule().setSglDescriptor(region);
            command.getCommandCapsule().getSubmissionQueueEntry().setNamespaceIdentifier(namespace.getIdentifier());
        }
    }

    /** What is done with a block before its command, or after it. */
    private interface Step {
        void on(long block, ByteBuffer memory) throws Exception;
    }

    /** Returns how long it took, in nanoseconds. */
    private long run(boolean write, long blocks, Step before, Step after) throws Exception {
        for (int i = 0; i < QUEUE; i++) {
            ByteBuffer memory = ByteBuffer.allocateDirect(blockBytes);
            free.add(new Slot(write ? new NvmWriteCommand(queue) : new NvmReadCommand(queue), namespace, memory,
                queue.registerMemory(memory)));
        }
        Queue<Slot> inFlight = new ArrayDeque<>();
        long startNs = System.nanoTime();
        for (long block = 0; block < blocks; block++) {
            if (free.isEmpty()) {
                finish(inFlight.remove(), after);
            }
            if (block % Math.max(1, blocks / PROGRESS_LINES) == 0) {
                System.err.println((write ? "writing block " : "reading block ") + block + " of " + blocks);
            }
            Slot slot = free.remove();
            slot.block = block;
            slot.memory.clear();
            before.on(block, slot.memory);
            slot.command.getCommandCapsule().getSubmissionQueueEntry().setStartingLba(block * sectors);
            slot.command.getCommandCapsule().getSubmissionQueueEntry().setNumberOfLogicalBlocks(sectors);
            slot.sent = slot.command.newCommandFuture();
            slot.answered = slot.command.newResponseFuture();
            slot.command.execute(slot.answered);
            inFlight.add(slot);
        }
        while (!inFlight.isEmpty()) {
            finish(inFlight.remove(), after);
        }
        free.clear();
        return System.nanoTime() - startNs;
    }

    private void finish(Slot slot, Step after) throws Exception {
        slot.sent.get();
        NvmResponseCapsule answer = slot.answered.get();
        int status = answer.getCompletionQueueEntry().getStatusCode().toInt();
        if (status != 0) {
            throw new IllegalStateException("block " + slot.block + " ended with status 0x" + Integer.toHexString(status));
        }
        slot.memory.clear();
        after.on(slot.block, slot.memory);
        free.add(slot);
    }

    public static void main(String[] args) throws Exception {
        NvmfTransportId target = new NvmfTransportId(new InetSocketAddress(args[0], Integer.parseInt(args[1])),
            new NvmeQualifiedName(args[2]));
        int blockBytes = Integer.parseInt(args[4]);
        long blocks = (Long.parseLong(args[3]) << 20) / blockBytes;
        Controller controller = new Nvme().connect(target);
        controller.getControllerConfiguration().setEnable(true);
        controller.syncConfiguration();
        controller.waitUntilReady();
        NvmeCopy copy = new NvmeCopy(controller.createIoQueuePair(2 * QUEUE), controller.getActiveNamespaces().get(0), blockBytes);
        Random random = new Random(Long.parseLong(args[5]));
        MessageDigest written = MessageDigest.getInstance("SHA-256");
        byte[] bytes = new byte[blockBytes];
        long writeNs = copy.run(true, blocks, (block, memory) -> {
            random.nextBytes(bytes);
            written.update(bytes);
            memory.put(bytes).clear();
        }, (block, memory) -> { });
        MessageDigest read = MessageDigest.getInstance("SHA-256");
        long readNs = copy.run(false, blocks, (block, memory) -> { }, (block, memory) -> {
            memory.get(bytes);
            read.update(bytes);
        });
        String wrote = HexFormat.of().formatHex(written.digest());
        String got = HexFormat.of().formatHex(read.digest());
        if (!wrote.equals(got)) {
            throw new IllegalStateException("wrote bytes with SHA-256 " + wrote + ", read " + got);
        }
        System.out.println(blocks + " blocks of " + blockBytes + " bytes written, read and compared, SHA-256 " + wrote);
        System.out.printf("write %.1f MiB/s, read %.1f MiB/s%n", blocks * blockBytes / (double) (1 << 20) * 1e9 / writeNs,
            blocks * blockBytes / (double) (1 << 20) * 1e9 / readNs);
        copy.queue.free();
        controller.free();
        System.exit(0);
    }
}
