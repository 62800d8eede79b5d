package io.rxe.net;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A program for {@link MemoryExhaustedTest}: opens a NIC while direct memory is used up, and again each time that some of it is free, so
 * that another part of the NIC finds none; in between nothing has the port. Prints good at last.
 */
final class OpenedWithoutMemory {
    private static final int BLOCK_BYTES = 40_000;

    private OpenedWithoutMemory() {
    }

    /** @param arguments the UDP port. */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        Deque<ByteBuffer> blocks = new ArrayDeque<>();
        try {
            while (true) {
                blocks.add(ByteBuffer.allocateDirect(BLOCK_BYTES));
            }
        } catch (OutOfMemoryError used) {
            System.out.println(blocks.size() + " blocks");
        }
        while (!opens(port)) {
            new DatagramSocket(port, InetAddress.getByName("127.0.0.1")).close();
            blocks.remove();
            // Else the memory of what failed, and of this block, counts as used.
            System.gc();
        }
        System.out.println(blocks.size() + " blocks left");
        System.out.println("good");
    }

    private static boolean opens(int port) throws Exception {
        try (RxeNic nic = RxeNic.open(RxeNicOptions.defaults("127.0.0.1").withUdpPort(port))) {
            return !nic.isClosed();
        } catch (OutOfMemoryError e) {
            System.out.println(e + " at " + e.getStackTrace()[5]);
            return false;
        }
    }
}
