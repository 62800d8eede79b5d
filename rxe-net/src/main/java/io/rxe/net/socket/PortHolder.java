package io.rxe.net.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Who holds a UDP port that cannot be had, and the ways out, as far as /proc shows them; no method fails. */
final class PortHolder {
    private static final int LONGEST_COMMAND = 100;
    private static final int ADDRESS_FIELD = 1;
    private static final int INODE_FIELD = 9;

    private static final long SIGKILL = 1 << 9 - 1;

    private final Path root;
    private final long self;

    /**
     * @param root folder of proc and sys.
     * @param self number of this process.
     */
    PortHolder(Path root, long self) {
        this.root = root;
        this.self = self;
    }

    /** The end of a sentence that begins with the port. */
    String explain(InetSocketAddress wanted) {
        Set<String> inodes = new HashSet<>();
        boolean isAnyAddress = readSockets(wanted, inodes);
        Path process = process(inodes);
        if (process == null && isAnyAddress && Files.exists(root.resolve("sys/module/rdma_rxe"))) {
            return " is taken by the kernel's rdma_rxe, which holds this port on all addresses of its network namespace (see `rdma link`):"
                + " use another UDP port, run in another network namespace, or unload it with `rmmod rdma_rxe`";
        }
        String way = ", or use another address, such as " + next(wanted.getAddress()) + " (option -d)";
        if (process == null) {
            return " is taken by a process that this user cannot see, or the kernel's rdma_rxe (see `ss -aunp` and `rdma link`): stop it"
                + way;
        }
        String name = process.getFileName().toString();
        return name.equals(String.valueOf(self)) ? " is taken by this very process, " + self + " (" + command(process)
            + "): close the NIC or socket that has it" + way
            : " is taken by process " + name + " (" + command(process) + "): stop it" + way;
    }

    /** Whether a process that this user can see has the port, and was not killed: one that was has it until it is taken apart. */
    boolean isAlive(InetSocketAddress wanted) {
        Set<String> inodes = new HashSet<>();
        readSockets(wanted, inodes);
        Path process = process(inodes);
        return process != null && lines(process.resolve("status")).stream().filter(line -> line.matches("S..Pnd:.*"))
            .noneMatch(line -> (Long.parseUnsignedLong(line.substring(line.indexOf(':') + 1).strip(), 16) & SIGKILL) != 0);
    }

    /** Adds the inodes of the sockets in the way; whether one of them has all addresses. */
    private boolean readSockets(InetSocketAddress wanted, Set<String> inodes) {
        boolean isAnyAddress = false;
        for (String table : new String[] {"proc/net/udp", "proc/net/udp6"}) {
            for (String line : lines(root.resolve(table))) {
                String[] fields = line.trim().split("\\s+");
                String[] local = fields.length > INODE_FIELD ? fields[ADDRESS_FIELD].split(":") : new String[0];
                if (local.length == 2 && local[1].equals(String.format("%04X", wanted.getPort()))) {
                    boolean isAny = local[0].chars().allMatch(digit -> digit == '0');
                    // An IPv4 address in the table of IPv6 has a prefix.
                    if (isAny || local[0].endsWith(hex(wanted.getAddress()))) {
                        inodes.add(fields[INODE_FIELD]);
                        isAnyAddress |= isAny;
                    }
                }
            }
        }
        return isAnyAddress;
    }

    /** An address as the kernel prints it: words of this host's byte order. */
    private static String hex(InetAddress address) {
        byte[] bytes = address.getAddress();
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < bytes.length; at++) {
            int within = at % Integer.BYTES;
            int from = at - within + (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Integer.BYTES - 1 - within : within);
            text.append(String.format("%02X", bytes[from]));
        }
        return text.toString();
    }

    private Path process(Set<String> inodes) {
        List<Path> processes = new ArrayList<>(List.of(root.resolve("proc/" + self)));
        processes.addAll(entries(root.resolve("proc"), "[1-9]*"));
        for (Path process : processes) {
            for (Path descriptor : entries(process.resolve("fd"), "*")) {
                String target = target(descriptor);
                if (target.startsWith("socket:[") && inodes.contains(target.substring("socket:[".length(), target.length() - 1))) {
                    return process;
                }
            }
        }
        return null;
    }

    private static String command(Path process) {
        try {
            String whole = new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.UTF_8).replace('\0', ' ').trim();
            return whole.length() <= LONGEST_COMMAND ? whole : whole.substring(0, LONGEST_COMMAND) + "...";
        } catch (IOException e) {
            return "command unknown";
        }
    }

    private static String next(InetAddress address) {
        byte[] bytes = address.getAddress();
        return address.isLoopbackAddress() && bytes.length == Integer.BYTES && bytes[Integer.BYTES - 1] < Byte.MAX_VALUE
            ? "127." + bytes[1] + '.' + bytes[2] + '.' + (bytes[Integer.BYTES - 1] + 1) : "one that `ip address` shows";
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            return List.of();
        }
    }

    private static List<Path> entries(Path folder, String glob) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, glob)) {
            stream.forEach(found::add);
        } catch (IOException | RuntimeException e) {
            // Of another user, or it has ended.
            return found;
        }
        return found;
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
