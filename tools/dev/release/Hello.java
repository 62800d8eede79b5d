package hello;

import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.verbs.AccessFlags;
import io.rxe.verbs.AddressVector;
import io.rxe.verbs.CompletionQueue;
import io.rxe.verbs.MemoryRegion;
import io.rxe.verbs.PathMtu;
import io.rxe.verbs.ProtectionDomain;
import io.rxe.verbs.QueuePair;
import io.rxe.verbs.QueuePairAttributes;
import io.rxe.verbs.QueuePairConfig;
import io.rxe.verbs.QueuePairType;
import io.rxe.verbs.ReceiveRequest;
import io.rxe.verbs.WorkCompletion;
import io.rxe.verbs.WorkRequest;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The program that tools/dev/try-release builds as a new user would: two queue pairs of one NIC, connected, and a message. */
public final class Hello {
    private static final int BYTES = 64;
    private static final String MESSAGE = "hello";

    private Hello() {
    }

    public static void main(String[] arguments) throws IOException {
        int port;
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
            port = socket.getLocalPort();
        }
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults("127.0.0.1").withUdpPort(port).withCounterFile(false))) {
            System.out.println("received: " + send(nic));
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }

    private static String send(RxeNic nic) throws IOException {
        ProtectionDomain domain = nic.device().allocateProtectionDomain();
        ByteBuffer memory = ByteBuffer.allocateDirect(2 * BYTES);
        MemoryRegion region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        CompletionQueue sent = nic.device().createCompletionQueue(8);
        CompletionQueue received = nic.device().createCompletionQueue(8);
        QueuePair sender = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, sent, sent));
        QueuePair receiver = domain.createQueuePair(QueuePairConfig.of(QueuePairType.RC, received, received));
        connect(nic, sender, receiver);
        connect(nic, receiver, sender);
        receiver.postReceive(new ReceiveRequest().add(region, BYTES, BYTES));
        memory.put(0, MESSAGE.getBytes(StandardCharsets.UTF_8));
        sender.postSend(new WorkRequest().send().add(region, 0, MESSAGE.length()));
        await(sent);
        await(received);
        return StandardCharsets.UTF_8.decode(memory.slice(BYTES, MESSAGE.length())).toString();
    }

    private static void connect(RxeNic nic, QueuePair queuePair, QueuePair peer) {
        AddressVector address = AddressVector.to(nic.device().gid(), nic.device().udpPort());
        queuePair.modify(QueuePairAttributes.toInit(0));
        queuePair.modify(QueuePairAttributes.toReadyToReceive(address, PathMtu.MTU_1024, peer.number(), 1));
        queuePair.modify(QueuePairAttributes.toReadyToSend(1));
    }

    private static void await(CompletionQueue completions) throws IOException {
        WorkCompletion done = new WorkCompletion();
        while (!completions.poll(done)) {
            Thread.onSpinWait();
        }
        if (!done.isSuccess()) {
            throw new IOException(done.explanation());
        }
    }
}
