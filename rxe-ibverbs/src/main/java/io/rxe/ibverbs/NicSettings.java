package io.rxe.ibverbs;

import io.rxe.net.RxeNicOptions;
import io.rxe.net.fault.FaultSpec;
import io.rxe.port.Progress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;

/** Reads what {@code tools/rxe run} passes in environment variables: how the NIC of the program is opened. */
final class NicSettings {
    static final String UDP_PORT = "RXE_UDP_PORT";
    static final String CAPTURE = "RXE_CAPTURE";
    static final String FAULT = "RXE_FAULT";
    static final String SEED = "RXE_SEED";
    static final String PROGRESS = "RXE_PROGRESS";

    private NicSettings() {
    }

    /**
     * @param address local address of the NIC.
     * @throws IllegalArgumentException for a value that cannot be read; the message names the variable.
     */
    static RxeNicOptions read(String address, Map<String, String> environment) {
        // Programs spin in ibv_poll_cq: the thread that spins drives the engine.
        RxeNicOptions options = RxeNicOptions.defaults(address).withProgress(Progress.POLLING)
            .withWarnings(sentence -> Sentences.verbose(() -> sentence));
        String port = environment.get(UDP_PORT);
        if (isSet(port)) {
            options = options.withUdpPort((int) number(UDP_PORT, port));
        }
        String capture = environment.get(CAPTURE);
        if (isSet(capture)) {
            options = options.withCaptureFile(Path.of(capture));
        }
        String seed = environment.get(SEED);
        if (isSet(seed)) {
            options = options.withSeed(number(SEED, seed));
        }
        String progress = environment.get(PROGRESS);
        if (isSet(progress)) {
            options = options.withProgress(progress(progress));
        }
        String fault = environment.get(FAULT);
        if (isSet(fault)) {
            long faultSeed = isSet(seed) ? number(SEED, seed) : new SecureRandom().nextLong();
            options = options.withFault(FaultSpec.parse(fault).layer(faultSeed));
        }
        return options;
    }

    private static Progress progress(String value) {
        return switch (value) {
            case "thread" -> Progress.THREAD;
            case "polling" -> Progress.POLLING;
            default -> throw new IllegalArgumentException(PROGRESS + "=" + value + ": use thread, an engine thread for the NIC, or polling:"
                + " threads in ibv_poll_cq drive it too");
        };
    }

    private static boolean isSet(String value) {
        return value != null && !value.isEmpty();
    }

    private static long number(String name, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + "=" + value + " is not a number", e);
        }
    }
}
