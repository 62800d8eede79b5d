package io.rxe.ibverbs;

import java.nio.file.Path;

/** What most programs do first, in this JVM: one that writes an archive of its classes has those of the Java half in it then. */
public final class Rehearsal {
    private Rehearsal() {
    }

    /**
     * Connects a NIC at the address that the environment names with itself, and moves some bytes.
     *
     * @param library built by {@link NativeLibrary#build}, with the classes of this JVM.
     * @return whether all of it worked.
     */
    public static boolean run(Path library) {
        System.load(library.toAbsolutePath().toString());
        return run();
    }

    private static native boolean run();
}
