package io.rxe.tools.endurance;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/**
 * What this process holds now. Linux only.
 *
 * @param values of each resource, in its unit.
 */
record ResourceSample(Map<Resource, Double> values) {
    private static final double KIB_PER_MIB = 1 << 10;
    private static final double BYTES_PER_MIB = 1 << 20;

    /** Collects garbage and measures. */
    static ResourceSample take() throws IOException {
        // What the first collection finds unreachable may free more in its cleaner, which the second one collects.
        System.gc();
        System.gc();
        Map<Resource, Double> values = new EnumMap<>(Resource.class);
        values.put(Resource.RSS, residentKib() / KIB_PER_MIB);
        values.put(Resource.HEAP, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / BYTES_PER_MIB);
        values.put(Resource.DIRECT, directBytes() / BYTES_PER_MIB);
        values.put(Resource.DESCRIPTORS, (double) descriptors());
        values.put(Resource.THREADS, (double) ManagementFactory.getThreadMXBean().getThreadCount());
        return new ResourceSample(values);
    }

    private static double residentKib() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Double.parseDouble(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("/proc/self/status has no line VmRSS");
    }

    /** Netty's direct buffers without a cleaner are not in the pools of Java. */
    private static long directBytes() {
        return Math.max(0, PlatformDependent.usedDirectMemory())
            + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    private static int descriptors() throws IOException {
        int count = 0;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path ignored : open) {
                count++;
            }
        }
        return count;
    }
}
