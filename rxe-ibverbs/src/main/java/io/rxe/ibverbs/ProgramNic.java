package io.rxe.ibverbs;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import io.rxe.net.RxeNic;
import io.rxe.net.RxeNicOptions;
import io.rxe.net.process.ProcessSettings;
import io.rxe.port.Progress;
import java.io.IOException;

/** One NIC of the program, and the program's objects on it. The C half knows it by a number, from 0 to {@link Handles#NICS} - 1. */
record ProgramNic(RxeNic nic, Verbs verbs, ExtendedVerbs extendedVerbs, ConnectionIds connectionIds) {
    /**
     * Opens it as the environment says. Faults at the verbs are for the first NIC of the program: what one fails, the others may take over.
     *
     * @throws IOException as {@link RxeNic#open}.
     */
    static ProgramNic open(int number, String address) throws IOException {
        // Otherwise Netty looks for the loggers of others first, in every jar.
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        RxeNicOptions options = options(number, address);
        RxeNic nic = RxeNic.open(options);
        nic.keepConnectionsAtExit();
        try {
            if (options.captureFile() != null) {
                CaptureUpkeep.start(nic);
            }
            Verbs verbs = new Verbs(number, nic.device(), nic.events());
            return new ProgramNic(nic, verbs, new ExtendedVerbs(number, nic, verbs), new ConnectionIds(number, nic, verbs));
        } catch (RuntimeException | Error e) {
            nic.close();
            throw e;
        }
    }

    private static RxeNicOptions options(int number, String address) {
        ProcessSettings settings = ProcessSettings.ofProcess();
        // Programs spin in ibv_poll_cq: the thread that spins drives the engine.
        RxeNicOptions options = settings.options(address).withProgress(settings.progress(Progress.POLLING))
            .withHeaders(Downcalls::receive);
        return number == 0 ? options : options.withVerbsFault(null);
    }
}
