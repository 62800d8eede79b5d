package io.rxe.tools;

import io.rxe.ibverbs.Rehearsal;
import io.rxe.tools.run.LibraryFolder;
import java.io.IOException;

/** A run of a JVM that writes an archive of its classes: what a program does on the NIC, then a command. */
public final class StartRehearsal {
    private StartRehearsal() {
    }

    /** Takes the words of a command. */
    public static void main(String[] arguments) {
        try {
            if (!Rehearsal.run(LibraryFolder.library(System.err::println))) {
                System.err.println("the rehearsal of a program failed");
            }
        } catch (IOException e) {
            // There is no C compiler: no program can run, but commands.
            System.err.println(e.getMessage());
        }
        Main.main(arguments);
    }
}
