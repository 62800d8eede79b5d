package com.ibm.disni.util;

import io.rxe.disni.ThreadAffinity;

/** Replaces the class of DiSNI, which loads libdisni. */
public class NativeAffinity {
    /**
     * Does nothing: Java cannot bind a thread to a processor; {@code taskset} binds the process.
     *
     * @param affinity a bit for each processor; 0 or less asks for nothing.
     */
    public static void setAffinity(long affinity) {
        ThreadAffinity.refuse(affinity);
    }

    /** Returns the processors that the calling thread may run on: a bit for each of the first 64. */
    public static long getAffinity() {
        return ThreadAffinity.current();
    }
}
