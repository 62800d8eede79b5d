package io.rxe.tools.pingpong;

import io.rxe.tools.cli.DurationConverter;
import io.rxe.tools.cli.NicOptions;
import io.rxe.tools.cli.SizeConverter;
import io.rxe.verbs.QueuePairConfig;
import picocli.CommandLine.Option;

/** Options of the pingpongs but {@code xsrq_pingpong}; a mixin for use with {@link NicOptions}. */
final class PingPongOptions extends CommonOptions {
    @Option(names = {"-s", "--size"}, paramLabel = "BYTES", order = 2, converter = SizeConverter.class,
        description = "Size of a message (default: 4096; datagrams 1024).")
    private Integer sizeBytes;

    @Option(names = {"-r", "--rx-depth"}, paramLabel = "N", defaultValue = "500", order = 4,
        description = "Number of receives to post (default: ${DEFAULT-VALUE}).")
    private int receiveDepth;

    @Option(names = {"-n", "--iters"}, paramLabel = "N", defaultValue = "1000", order = 5,
        description = "Messages each way (default: ${DEFAULT-VALUE}).")
    private int iterations;

    @Option(names = {"-c", "--chk"}, order = 7, description = "Validate the received data.")
    private boolean validate;

    @Option(names = "--linger", paramLabel = "TIME", defaultValue = "300ms", order = 10,
        converter = DurationConverter.class,
        description = "Keep the NIC open for TIME after the end, to acknowledge the peer's last message again if our "
            + "acknowledgement was lost (default: ${DEFAULT-VALUE}).")
    private long lingerNs;

    // Accepted for compatibility, without effect; check() notes those given.
    @Option(names = {"-O", "--iodp"}, order = 23, description = "Implicit on-demand paging; accepted, without effect.")
    private boolean implicitOnDemandPaging;

    @Option(names = {"-P", "--prefetch"}, order = 24, description = "Prefetch memory; accepted, without effect.")
    private boolean prefetch;

    @Option(names = {"-t", "--ts"}, order = 25, description = "Completion timestamps; accepted, without effect.")
    private boolean timestamps;

    @Option(names = {"-j", "--dm"}, order = 26, description = "Device memory; accepted, without effect.")
    private boolean deviceMemory;

    @Option(names = {"-N", "--new_send"}, order = 27, description = "New posting interface; accepted, without effect.")
    private boolean newSend;

    /** Checks ranges, and notes options without effect. */
    void check(NicOptions nic, PingPongKind kind) {
        if (sizeBytes == null) {
            sizeBytes = kind.defaultSizeBytes();
        }
        checkCommon(nic);
        ignore(nic, implicitOnDemandPaging, "-O", "all memory of a process is paged on demand");
        ignore(nic, prefetch, "-P", "all memory of a process is paged on demand");
        ignore(nic, timestamps, "-t", "completions carry no timestamps");
        ignore(nic, deviceMemory, "-j", "the device has no memory of its own");
        ignore(nic, validate && !kind.hasValidation(), "-c", "ibv_srq_pingpong has nothing to compare");
        ignore(nic, newSend, "-N", "there is only one way to post");
    }

    @Override
    void checkOwn() {
        require("rx-depth", receiveDepth, 1, QueuePairConfig.MAX_REQUESTS);
    }

    @Override
    int sizeBytes() {
        return sizeBytes;
    }

    int receiveDepth() {
        return receiveDepth;
    }

    @Override
    int iterations() {
        return iterations;
    }

    boolean isValidate() {
        return validate;
    }

    long lingerNs() {
        return lingerNs;
    }
}
